"""Trains a language model with GRPO on the gym of Remedium.

    remedium gym serve --suite easy --reward users-recovered,cause-gone
    pip install clients/python trl torch
    python examples/grpo.py --model Qwen/Qwen3-1.7B

The suite must consist of tasks without questions, such as mitigation, because the tool `submit` has no answers.
"""

import argparse

from datasets import Dataset
from remedium_gym import RemediumTools
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--url", default="http://127.0.0.1:8000")
parser.add_argument("--model", required=True, help="a name on the Hugging Face Hub, or a folder")
parser.add_argument("--out", default="grpo-remedium")
parser.add_argument("--steps", type=int, default=100)
parser.add_argument("--group", type=int, default=4, help="attempts at one incident; the server needs as many sessions")
parser.add_argument("--tokens", type=int, default=2048)
args = parser.parse_args()

PROMPT = "You are the on-call engineer of a microservice system. Find the cause of the incident and repair it.\n\n"

# All attempts of a group have the same row, and so the same problem and seed.
rows = [{"prompt": [{"role": "user", "content": PROMPT}], "seed": seed} for seed in range(args.steps)]

trainer = GRPOTrainer(
    model=args.model,
    train_dataset=Dataset.from_list(rows),
    environment_factory=lambda: RemediumTools(args.url),
    args=GRPOConfig(
        output_dir=args.out,
        max_steps=args.steps,
        num_generations=args.group,
        per_device_train_batch_size=args.group,
        max_completion_length=args.tokens,
        report_to="none",
    ),
)
trainer.train()
