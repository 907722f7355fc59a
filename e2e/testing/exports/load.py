"""Loads exported trajectories with the code of real trainers. Usage: load.py FOLDER, which has one file per format."""

import importlib.util
import json
import os
import sys
import types

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"
FOLDER = sys.argv[1]
FORMATS = ("atif", "messages", "sharegpt")
# Chat templates that support tools, and that keep the text of a message with tool calls.
TEMPLATES = ("qwen2_5", "qwen3", "qwen3_6", "glm4moe", "gemma4_v5", "lfm2_v2", "nemotron_3_nano")


def read(name):
    with open(os.path.join(FOLDER, f"{name}.jsonl"), encoding="utf8") as file:
        return [json.loads(line) for line in file]


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def to_comparable(value):
    """Removes details that loading changes: missing columns become null, timestamps are parsed, and fractions are rounded."""
    if isinstance(value, dict):
        return {key: to_comparable(item) for key, item in value.items() if item is not None and key != "timestamp"}
    if isinstance(value, list):
        return [to_comparable(item) for item in value]
    return round(value, 9) if isinstance(value, float) else value


def load_datasets():
    from datasets import load_dataset

    loaded = {}
    for name in FORMATS:
        path = os.path.join(FOLDER, f"{name}.jsonl")
        rows = load_dataset("json", data_files=path, split="train", cache_dir=os.path.join(FOLDER, "cache"))
        lines = read(name)
        check(len(rows) == len(lines), f"datasets loads {len(rows)} of {len(lines)} rows of {name}")
        for row, line in zip(rows, lines):
            check(to_comparable(row) == to_comparable(line), f"datasets changes a row of {name}: {json.dumps(line)[:500]}")
        loaded[name] = rows
        print(f"datasets: {len(rows)} rows of {name}, unchanged")
    return loaded


def apply_templates(rows):
    """Converts rows to text as TRL does, with the chat templates that TRL trains with."""
    import trl
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast
    from trl.data_utils import apply_chat_template, is_conversational

    folder = os.path.join(os.path.dirname(trl.__file__), "chat_templates")
    for template in TEMPLATES:
        tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"x": 0}, unk_token="x")))
        with open(os.path.join(folder, f"{template}.jinja"), encoding="utf8") as file:
            tokenizer.chat_template = file.read()
        for row in rows:
            check(is_conversational(row), f"TRL does not recognise {row['id']} as a conversation")
            tools = json.loads(row["tools"])
            text = apply_chat_template({"messages": row["messages"]}, tokenizer, tools=tools)["text"]
            for message in row["messages"]:
                if message["role"] == "assistant":
                    content = (message["content"] or "").strip()
                    check(content in text, f"the template {template} drops an answer of {row['id']}: {content}")
                for call in message.get("tool_calls") or []:
                    check(call["function"]["name"] in text, f"the template {template} drops a call of {row['id']}")
            for tool in tools:
                check(tool["function"]["name"] in text, f"the template {template} drops a tool of {row['id']}")
        print(f"TRL: {len(rows)} rows with the chat template {template}")


def open_llama_factory():
    """Imports only the modules that convert data: importing the packages themselves would load training code."""
    root = os.path.dirname(importlib.util.find_spec("llamafactory").origin)
    for name in ("llamafactory", "llamafactory.data", "llamafactory.extras"):
        package = types.ModuleType(name)
        package.__path__ = [os.path.join(root, *name.split(".")[1:])]
        sys.modules[name] = package
    # A stub of peft: only the names of its weight files are used.
    peft, utils = types.ModuleType("peft"), types.ModuleType("peft.utils")
    utils.SAFETENSORS_WEIGHTS_NAME, utils.WEIGHTS_NAME = "adapter_model.safetensors", "adapter_model.bin"
    sys.modules.update({"peft": peft, "peft.utils": utils})
    from llamafactory.data import converter, formatter

    return converter, formatter


def convert_share_gpt(rows):
    converter, formatter = open_llama_factory()
    attributes = types.SimpleNamespace(
        load_from="file", formatting="sharegpt", ranking=False, kto_tag=None, chosen=None, rejected=None,
        system=None, tools="tools", images=None, videos=None, audios=None, messages="conversations",
        role_tag="from", content_tag="value", user_tag="human", assistant_tag="gpt",
        observation_tag="observation", function_tag="function_call", system_tag="system",
    )
    convert = converter.get_dataset_converter("sharegpt", attributes, None)
    words = {"thought_words": ("<think>\n", "\n</think>\n\n"), "tool_call_words": ("<tool_call>", "</tool_call>")}
    calls = 0
    for row in rows:
        row_turns = [turn for turn in row["conversations"] if turn["from"] != "system"]
        converted = convert(row)
        turns = converted["_prompt"] + converted["_response"]
        check(len(turns) == len(row_turns) > 0, f"LLaMA-Factory drops {row['id']}")
        check(len(converted["_response"]) == 1, f"LLaMA-Factory finds no answer in {row['id']}")
        for tool_format in ("default", "qwen"):
            formatter.ToolFormatter(tool_format=tool_format).apply(content=converted["_tools"])
            functions = formatter.FunctionFormatter(slots=["{{content}}"], tool_format=tool_format)
            for turn in turns:
                if turn["role"] == "function":
                    functions.apply(content=turn["content"], **words)
                    calls += 1
    check(calls > 0, "no row has a tool call")
    print(f"LLaMA-Factory: {len(rows)} rows converted, none dropped, {calls} answers with calls formatted")


def validate_atif(lines):
    from atif import Trajectory

    for line in lines:
        trajectory = Trajectory.model_validate(line)
        check(to_comparable(trajectory.to_json_dict()) == to_comparable(line), f"atif changes {line['session_id']}")
    print(f"atif: {len(lines)} trajectories valid")


loaded = load_datasets()
apply_templates(list(loaded["messages"]))
convert_share_gpt(list(loaded["sharegpt"]))
validate_atif(read("atif"))
