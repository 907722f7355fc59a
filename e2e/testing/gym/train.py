"""Trains a tiny random model with GRPO of TRL on a server of the gym, for a few steps on the CPU."""

import json
import sys
import tempfile

from datasets import Dataset
from remedium_gym import RemediumTools
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_chat_template as CHAT_TEMPLATE

url, steps, group = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

# A tokenizer of bytes, so that nothing is downloaded.
SPECIAL = ["<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<|endoftext|>"]
vocabulary = {symbol: index for index, symbol in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
raw = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
raw.decoder = decoders.ByteLevel()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
tokenizer.add_special_tokens({"additional_special_tokens": SPECIAL})


tokenizer.chat_template = CHAT_TEMPLATE
model = Qwen3ForCausalLM(
    Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
)

rewards = []


class CountedTools(RemediumTools):
    """Records the rewards of all rollouts."""

    def get_reward(self):
        reward = super().get_reward()
        rewards.append(reward)
        return reward


rows = [{"prompt": [{"role": "user", "content": "Repair the system.\n"}], "seed": seed} for seed in range(steps)]
with tempfile.TemporaryDirectory() as folder:
    trainer = GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        environment_factory=lambda: CountedTools(url),
        args=GRPOConfig(
            output_dir=folder,
            max_steps=steps,
            num_generations=group,
            per_device_train_batch_size=group,
            max_completion_length=16,
            use_cpu=True,
            report_to="none",
            save_strategy="no",
        ),
    )
    trainer.train()
assert trainer.state.global_step == steps and len(rewards) == steps * group
print(json.dumps({"steps": trainer.state.global_step, "rewards": rewards}))
