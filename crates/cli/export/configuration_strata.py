"""Settings of a model of Strata, written by `strata export --to hub`."""

from transformers import PretrainedConfig


class StrataConfig(PretrainedConfig):
    """`settings` are those of the model; `longest_target` is the length of the longest target of the training data."""

    model_type = "strata"

    def __init__(self, settings=None, longest_target=0, **others):
        self.settings = settings or {}
        self.longest_target = longest_target
        super().__init__(**others)

    @property
    def positions(self):
        """Number of positions that the model tells apart, or none where there is no limit."""
        return self.settings["longest"] if self.settings.get("positions") == "learned" else None
