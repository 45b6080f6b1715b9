import argparse
import json
import math
import sys
import unicodedata
from pathlib import Path

import regex
import torch
from safetensors.torch import load_file
from torch import nn

PAD, BOS, EOS, UNK = 0, 1, 2, 3  # <pad>, <s>, </s>, <unk>
