//! Tasks, vocabularies and corpora: what the models are trained on. No tensors.
