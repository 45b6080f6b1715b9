//! Training: the step, optimiser, schedules and checkpoints.
