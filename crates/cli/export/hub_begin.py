import math
from dataclasses import dataclass

import torch
from torch import nn
from transformers import GenerationMixin, PreTrainedModel
from transformers.modeling_outputs import OUTPUT
from transformers.utils import ModelOutput

from .configuration_strata import StrataConfig

PAD, BOS, EOS, UNK = 0, 1, 2, 3  # <pad>, <s>, </s>, <unk>
