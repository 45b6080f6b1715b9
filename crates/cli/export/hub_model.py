class Wrapper(PreTrainedModel):
    """A model of Strata as `transformers` loads and saves models."""

    config_class = StrataConfig
    main_input_name = "input_ids"
    _tied_weights_keys = TIED

    def __init__(self, config):
        super().__init__(config)
        self.model = Model(config.settings)
        self.post_init()

    def _init_weights(self, module):
        """Keeps the parameters that PyTorch drew."""
