//! Names of settings in other programs, and the settings of Strata that mean the same.

/// Names of one setting in other programs, with the names of that setting in Strata.
#[derive(Clone, Copy, Debug)]
pub struct Brought {
    /// Names in other programs, with `_` between words and spaces between names.
    names: &'static str,
    /// Keys of the settings in Strata; a model or task has some of these settings.
    pub keys: &'static [&'static str],
    /// Further advice: an option of a command, or the reason why there is no such setting.
    pub note: &'static str,
}

const fn setting(names: &'static str, keys: &'static [&'static str]) -> Brought {
    Brought {
        names,
        keys,
        note: "",
    }
}

const fn option(names: &'static str, note: &'static str) -> Brought {
    Brought {
        names,
        keys: &[],
        note,
    }
}

/// Finds the entry for a setting's name in another program. Dashes, capitals, and groups before the
/// last dot are ignored.
pub fn meant(name: &str) -> Option<&'static Brought> {
    let last = name.trim_start_matches('-').rsplit('.').next()?;
    let name = last.to_lowercase().replace('-', "_");
    let joined = |name: &str| name.replace('_', "");
    ALL.iter()
        .chain(ABSENT)
        .find(|it| it.names().any(|other| joined(other) == joined(&name)))
}

/// Returns advice for a feature that Strata lacks, such as `rope` or `onnx`; `None` for any other
/// name.
pub fn absent(name: &str) -> Option<&'static str> {
    let found = meant(name)?;
    let is_absent = ABSENT.iter().any(|it| it.names == found.names);
    is_absent.then_some(found.note)
}

impl Brought {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split_whitespace()
    }

    /// Writes the entry in words: "it is called `training.clip_norm` here".
    pub fn words(&self) -> String {
        let keys: Vec<String> = self.keys.iter().map(|key| format!("`{key}`")).collect();
        match (keys.is_empty(), self.note) {
            (true, note) => note.to_owned(),
            (false, "") => format!("it is called {} here", keys.join(" or ")),
            (false, note) => format!("it is called {} here; {note}", keys.join(" or ")),
        }
    }
}

const ALL: &[Brought] = &[
    // Model
    setting(
        "d_model model_dim hidden_size hidden_dim hidden_units hid_dim n_hid \
         num_units n_embd n_embed rnn_size dim size units hdim emb_dim embed_dim \
         embedding_dim embedding_size embed_size emb_size word_vec_size \
         encoder_embed_dim decoder_embed_dim",
        &[
            "model.width",
            "model.embedding",
            "model.hidden",
            "model.encoder_hidden",
            "model.decoder_hidden",
        ],
    ),
    setting(
        "n_heads num_heads nhead attention_heads num_attention_heads \
         encoder_attention_heads decoder_attention_heads head_count",
        &["model.heads"],
    ),
    setting(
        "num_layers n_layers n_layer num_hidden_layers depth encoder_layers \
         decoder_layers enc_layers dec_layers num_encoder_layers \
         num_decoder_layers blocks n_blocks num_blocks",
        &["model.layers"],
    ),
    setting(
        "d_ff ff_dim ff_size ffn_dim d_ffn d_inner dim_feedforward mlp mlp_dim \
         intermediate_size transformer_ff ffn_hidden_size encoder_ffn_embed_dim \
         decoder_ffn_embed_dim feedforward feed_forward_dim",
        &["model.feed_forward"],
    ),
    setting(
        "dropout_rate drop p_drop dropout_prob hidden_dropout hidden_dropout_prob \
         attention_dropout resid_pdrop embd_pdrop attn_dropout",
        &["model.dropout"],
    ),
    setting(
        "arch model_type model_name encoder_type decoder_type",
        &["model.architecture"],
    ),
    setting("rnn_type cell_type rnn unit_type", &["model.cell"]),
    setting(
        "tie_weights tie_embeddings tied_embeddings share_embeddings weight_tying \
         share_decoder_embeddings share_decoder_input_output_embed \
         tie_word_embeddings",
        &["model.tied"],
    ),
    setting(
        "attn attention_type attention_kind global_attention mechanism attn_type",
        &[
            "model.cross.kind",
            "model.attention.kind",
            "model.encoder_self.kind",
            "model.decoder_self.kind",
        ],
    ),
    setting(
        "position_encoding positional_encoding pos_emb pos_encoding \
         position_embedding_type pe",
        &["model.positions"],
    ),
    setting(
        "pre_norm normalize_before encoder_normalize_before",
        &["model.norm_first"],
    ),
    setting("brnn bidirectional_encoder birnn", &["model.bidirectional"]),
    setting(
        "init_scale param_init init_range initializer_range",
        &["model.initial_bound"],
    ),
    // Training
    setting(
        "lr learn_rate lrate max_lr peak_lr base_lr eta step_size init_lr",
        &["training.optimizer.learning_rate"],
    ),
    setting(
        "batch bs batch_sz train_batch_size per_device_train_batch_size \
         max_sentences minibatch minibatch_size micro_batch_size eval_batch_size",
        &["training.batch_size"],
    ),
    setting(
        "max_tokens tokens_per_batch batch_type max_tokens_per_batch",
        &["training.batch_tokens"],
    ),
    setting(
        "epoch num_epochs n_epochs max_epoch max_epochs num_train_epochs ep",
        &["training.epochs"],
    ),
    setting(
        "step max_steps train_steps num_steps n_steps max_update max_updates \
         total_steps iterations iters max_iters n_iters n_iter num_iterations \
         max_iterations updates",
        &["training.steps"],
    ),
    setting(
        "wd l2 decay l2_reg adamw_weight_decay regularization",
        &["training.optimizer.weight_decay"],
    ),
    Brought {
        names: "optim opt optimiser optimizer_type adam adamw sgd adafactor lion muon lamb \
                rmsprop adagrad",
        keys: &["training.optimizer"],
        note: "the optimiser is always AdamW, without weight decay Adam",
    },
    setting(
        "beta1 adam_beta1 adam_betas betas",
        &["training.optimizer.beta_1", "training.optimizer.beta_2"],
    ),
    setting("beta2 adam_beta2", &["training.optimizer.beta_2"]),
    setting("eps adam_eps adam_epsilon", &["training.optimizer.epsilon"]),
    setting(
        "clip grad_clip clip_grad clip_gradients max_grad_norm gradient_clip \
         gradient_clip_val gradient_clipping clip_grad_norm grad_norm",
        &["training.clip_norm"],
    ),
    setting(
        "warm_up warmup_steps warmup_updates num_warmup_steps warmup_ratio \
         warmup_iters lr_warmup",
        &["training.schedule.warmup"],
    ),
    setting(
        "scheduler lr_scheduler lr_schedule lr_scheduler_type decay_method \
         lr_decay learning_rate_decay sched",
        &["training.schedule.kind"],
    ),
    setting(
        "smoothing ls label_smooth label_smoothing_factor smooth_eps epsilon_ls",
        &["training.label_smoothing"],
    ),
    setting(
        "accum accum_count accum_steps grad_accum gradient_accumulation \
         gradient_accumulation_steps grad_accum_steps update_freq \
         accumulation_steps",
        &["training.accumulate"],
    ),
    setting(
        "fp16 bf16 amp half mixed_precision dtype float16 bfloat16 model_dtype \
         fp32 use_amp",
        &["training.precision"],
    ),
    setting(
        "grad_checkpoint gradient_checkpointing activation_checkpointing \
         recompute",
        &["training.checkpointing"],
    ),
    setting(
        "early_stop early_stopping early_stopping_patience",
        &["training.patience"],
    ),
    setting(
        "eval_every eval_steps eval_interval eval_freq valid_steps valid_freq \
         validation_freq validate_interval validation_interval val_check_interval \
         val_every valid_every",
        &["training.validate_every"],
    ),
    setting(
        "save_every save_steps save_interval save_freq save_checkpoint_steps \
         checkpoint_steps checkpoint_freq checkpoint_interval",
        &["training.checkpoint_every"],
    ),
    setting(
        "keep_checkpoint save_total_limit keep_last save_top_k keep_checkpoints",
        &["training.keep_best"],
    ),
    setting("random_seed manual_seed rng_seed random_state", &["seed"]),
    // Task
    setting(
        "unk unk_token min_freq min_count word_min_frequency min_frequency \
         vocab_threshold threshold thresholdsrc thresholdtgt \
         src_words_min_frequency tgt_words_min_frequency freq_threshold",
        &["task.minimum_count"],
    ),
    setting(
        "src_vocab srcdict voc_file vocab_file vocabulary_file",
        &["task.source_vocabulary"],
    ),
    setting("tgt_vocab tgtdict", &["task.target_vocabulary"]),
    setting(
        "vocab vocab_size vocabulary vocabulary_size max_vocab max_vocab_size \
         num_words src_vocab_size tgt_vocab_size nwordssrc nwordstgt \
         max_vocabulary bpe_size bpe_merges num_merges merges",
        &["task.maximum_vocabulary", "task.symbols"],
    ),
    setting(
        "max_len max_length max_seq_len max_seq_length seq_len seq_length \
         max_sequence_length sequence_length src_seq_length tgt_seq_length \
         max_source_positions max_target_positions max_sent_length block_size \
         context_length context_size n_ctx bptt block max_position_embeddings",
        &[
            "task.maximum_length",
            "task.segment_length",
            "model.longest",
        ],
    ),
    setting("min_len min_length", &["task.minimum_length"]),
    setting(
        "val_split valid_split validation_split test_size dev_size val_size \
         valid_size test_split dev_ratio val_ratio",
        &["task.held_out"],
    ),
    setting(
        "tokenizer tokenizer_type tokenization tokenize subword bpe sentencepiece \
         spm char_level character_level wordpiece",
        &["task.level"],
    ),
    setting(
        "lower do_lower_case uncased lower_case",
        &["task.lowercase"],
    ),
    setting(
        "src train_src src_train source_file train_source train_file train \
         train_data training_data train_path data data_path data_dir dataset \
         corpus input input_file text_file src_file",
        &["task.source"],
    ),
    setting(
        "tgt trg train_tgt train_trg tgt_train target_file train_target tgt_file \
         trg_file",
        &["task.target"],
    ),
    setting(
        "valid_src val_src dev_src src_valid valid_file val_file dev_file \
         valid_data dev_data",
        &["task.validation_source"],
    ),
    setting(
        "valid_tgt val_tgt dev_tgt tgt_valid",
        &["task.validation_target"],
    ),
    setting("task_name problem task_type", &["task.kind"]),
    setting(
        "n_examples num_examples num_samples n_samples dataset_size",
        &["task.examples"],
    ),
    // Options of commands
    option(
        "beam beam_size beams num_beams n_beams beam_width beam_search",
        "it is no setting of an experiment, but the option `--beam N` of `strata translate` and \
         `strata eval`",
    ),
    option(
        "lenpen length_penalty len_penalty alpha normalize",
        "it is no setting of an experiment, but the option `--length-penalty A` of \
         `strata translate` and `strata eval`, with `--beam`",
    ),
    option(
        "temperature temp sampling_temperature sampling_temp",
        "it is no setting of an experiment, but the option `--temperature T` of \
         `strata translate`, with `--sample`",
    ),
    option(
        "top_k sampling_topk",
        "it is no setting of an experiment, but the option `--top-k K` of `strata translate`, with \
         `--sample`",
    ),
    option(
        "top_p nucleus sampling_topp",
        "it is no setting of an experiment, but the option `--top-p P` of `strata translate`, with \
         `--sample`",
    ),
    option(
        "nbest num_return_sequences",
        "it is no setting of an experiment, but the option `--nbest N` of `strata translate`",
    ),
    option(
        "max_new_tokens max_decode_length max_gen_len max_len_b max_output_length",
        "it is no setting of an experiment, but the option `--limit N` of `strata translate` and \
         `strata eval`",
    ),
    option(
        "device gpu gpus cuda use_gpu use_cuda no_cuda cpu gpu_ranks",
        "it is no setting of an experiment, but the option `--device NAME`",
    ),
    option(
        "save_dir output_dir out_dir save_model save_path log_dir run_dir \
         checkpoint_dir model_dir exp_dir out save_to",
        "it is no setting of an experiment, but the option `--out FOLDER` of `strata train`",
    ),
    option(
        "resume resume_from resume_from_checkpoint from_checkpoint train_from \
         restore_file load_model load_checkpoint ckpt",
        "it is no setting of an experiment, but the option `--resume FILE` of `strata train`",
    ),
    option(
        "config_file cfg conf",
        "it is no setting of an experiment, but the option `--config FILE.toml`",
    ),
];

/// Names of the field that this program lacks, with what there is instead.
const ABSENT: &[Brought] = &[
    option(
        "rope rotary rotary_embedding rotary_embeddings rotary_emb rope_theta rope_scaling \
         rotary_dim alibi use_alibi relative_positions relative_attention \
         relative_attention_num_buckets",
        "rotary and relative positions and ALiBi are not here; `model.positions` is sinusoidal, \
         learned or none",
    ),
    option(
        "onnx torchscript gguf tflite coreml openvino tensorrt to_onnx export_onnx",
        "no ONNX and the like is written; `strata export RUN --to pytorch` writes a program of PyTorch, \
         from which `torch.onnx` goes on",
    ),
    option(
        "wandb mlflow neptune comet_ml clearml trackio report_to use_wandb wandb_project",
        "no service is told of a run; its folder has `metrics.jsonl` and TensorBoard's events, which \
         they read",
    ),
    option(
        "lora qlora dora peft adapter adapters lora_rank lora_alpha prefix_tuning prompt_tuning",
        "adapters are not here; `strata train --from RUN` goes on from all parameters of a model",
    ),
    option(
        "flash_attention flash_attention_2 flash_attn flash_attn_2 use_flash_attention sdpa xformers \
         memory_efficient_attention attn_implementation torch_compile compile",
        "there is nothing to set: attention and layers are computed by the fastest kernel that the \
         device has",
    ),
    Brought {
        names: "fp8 float8 int8 int4 load_in_8bit load_in_4bit quantize quantization quantized",
        keys: &[],
        note: "numbers have 32 bits, or 16 in a pass (`training.precision=bf16` or `f16`); fewer are \
               not here",
    },
    option(
        "gpt gpt2 gpt3 gpt4 gpt_neo gpt_j llama llama2 llama3 mistral qwen gemma pythia phi \
         nanogpt decoder_only causal_lm",
        "its weights are not read; `model.architecture=transformer_lm` with `task.kind=text` is a \
         language model of this kind, to be trained on a text",
    ),
    option(
        "bert roberta distilbert albert electra deberta xlnet encoder_only masked_lm mlm",
        "encoders alone and their weights are not here; `model.architecture=bidaf`, `match_lstm` or \
         `rnet` answer questions about passages, `transformer` translates",
    ),
    option(
        "t5 bart mbart marian nllb m2m100 opus_mt pegasus encoder_decoder",
        "its weights are not read; `model.architecture=transformer` is a model of this kind, to be \
         trained on pairs",
    ),
    option(
        "huggingface hf hf_hub hub transformers from_pretrained pretrained \
         pretrained_model pretrained_model_name_or_path model_name_or_path push_to_hub",
        "models of other programs are not read; `strata train --from RUN` begins with one of this \
         program, and `task.vectors` (`task.source_vectors`) with vectors of words",
    ),
    option(
        "deepspeed fsdp zero ddp accelerate horovod distributed num_gpus nproc_per_node world_size \
         n_gpu tensor_parallel pipeline_parallel",
        "a run is shared by `strata train --processes N` (MPI) or `--cards N` (cards of one machine), \
         each with the whole model",
    ),
    option(
        "moe mixture_of_experts num_experts mamba rwkv state_space ssm gqa mqa num_kv_heads \
         num_key_value_heads n_kv_head sliding_window longformer bigbird performer reformer linformer",
        "it is not here; `strata config --explain` lists the mechanisms of attention that there are",
    ),
    option(
        "rmsnorm norm_type normalization_layer swiglu geglu gelu silu activation \
         activation_function activation_fn hidden_act",
        "layers have layer normalisation and ReLU, as in their papers; `model.norm_first` says where \
         the former stands",
    ),
    option(
        "kv_cache use_cache past_key_values",
        "there is nothing to set: what was computed for earlier tokens is always kept",
    ),
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use super::*;
    use crate::description::{every_variant, groups};

    #[test]
    fn every_name_leads_to_settings_that_there_are() {
        let mut ours = BTreeSet::new();
        for group in every_variant().iter().flat_map(groups) {
            let settings = group.settings.iter().chain(&group.tag);
            ours.extend(settings.map(|it| it.key.clone()));
            ours.insert(group.path);
        }
        let mut names = BTreeSet::new();
        for brought in ALL.iter().chain(ABSENT) {
            for key in brought.keys {
                assert!(ours.contains(*key), "{key}");
            }
            assert!(!brought.words().is_empty());
            for name in brought.names() {
                assert!(names.insert(name.replace('_', "")), "{name} twice");
                assert_eq!(meant(name).unwrap().names, brought.names);
            }
        }
    }

    #[test]
    fn dashes_capitals_and_groups_do_not_count() {
        for name in [
            "lr",
            "LR",
            "--lr",
            "training.lr",
            "model.optimizer.lr",
            "learn-rate",
            "learnRate",
        ] {
            assert_eq!(
                meant(name).unwrap().keys,
                ["training.optimizer.learning_rate"],
                "{name}"
            );
        }
        assert!(meant("xyzzy").is_none());
        assert!(absent("RoPE").is_some_and(|it| it.contains("`model.positions`")));
        assert!(absent("GPT-2").is_some());
        assert_eq!(absent("lr"), None);
        assert_eq!(absent("beam"), None);
        assert!(meant("").is_none());
        assert!(meant("--beam-size").unwrap().words().contains("`--beam N`"));
    }
}
