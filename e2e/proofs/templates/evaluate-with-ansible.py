"""Evaluates templates with the installed Ansible: reads one JSON document from stdin, writes one to stdout.

Input: {"now": SECONDS, "omit": "", "groups": [{"variables": {}, "unsafe": {}, "cases": [{"kind": "render", "text": ""}]}]}
Output: a list of answers for each group. Values are written with their Python types, see `tagged`.
"""
import datetime
import json
import os
import sys
import warnings

os.environ['TZ'] = 'UTC'
os.environ['ANSIBLE_DEPRECATION_WARNINGS'] = '0'
os.environ['ANSIBLE_SYSTEM_WARNINGS'] = '0'
warnings.simplefilter('ignore')

import ansible.template  # noqa: E402
from ansible.errors import AnsibleError, AnsibleUndefinedVariable  # noqa: E402
from ansible.parsing.dataloader import DataLoader  # noqa: E402
from ansible.playbook.conditional import Conditional  # noqa: E402
from ansible.utils.display import Display  # noqa: E402
from ansible.utils.unsafe_proxy import wrap_var  # noqa: E402

# Ansible prints warnings about templates to stderr, one for each; they are not compared.
Display.display = lambda *args, **kwargs: None
Display.warning = lambda *args, **kwargs: None


def fixed_clock(seconds):
    moment = datetime.datetime.utcfromtimestamp(seconds)

    class Clock:
        class datetime(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                return moment

            @classmethod
            def utcnow(cls):
                return moment

    return Clock


def tagged(value):
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2 ** 53 else {'int': str(value)}
    if isinstance(value, float):
        return {'float': repr(value)}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (list, tuple)):
        return [tagged(item) for item in value]
    if isinstance(value, dict):
        return {'dict': [[tagged(key), tagged(item)] for key, item in value.items()]}
    return {'object': type(value).__name__}


def plain(value):
    """Lists instead of tuples, and texts without their subclasses."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    return value


def evaluate(loader, templar, case, variables):
    kind, text = case['kind'], case['text']
    if kind == 'render':
        return templar.template(text)
    if kind == 'bare':
        return templar.template(text, convert_bare=True)
    conditional = Conditional(loader=loader)
    conditional.when = [text]
    return conditional.evaluate_conditional(templar, variables)


def answer(loader, templar, case, variables):
    try:
        value = evaluate(loader, templar, case, variables)
        json.dumps(tagged(value), ensure_ascii=False).encode('utf-8')
        return {'value': tagged(value), 'repr': repr(plain(value))}
    except RecursionError:
        return {'error': 'RecursionError', 'message': ''}
    except Exception as error:
        kind = 'undefined' if isinstance(error, AnsibleUndefinedVariable) else 'python'
        if isinstance(error, AnsibleError) and kind == 'python':
            kind = 'ansible'
        return {'error': kind, 'message': str(error)}


def main():
    data = json.load(sys.stdin)
    ansible.template.datetime = fixed_clock(data['now'])
    loader = DataLoader()
    answers = []
    for group in data['groups']:
        variables = dict(group['variables'])
        variables.update({name: wrap_var(value) for name, value in group.get('unsafe', {}).items()})
        # As in a play.
        variables.update(omit=data['omit'], vars=dict(variables))
        templar = ansible.template.Templar(loader=loader, variables=variables)
        answers.append([answer(loader, templar, case, variables) for case in group['cases']])
    sys.stdout.buffer.write(json.dumps(answers, ensure_ascii=False).encode('utf-8', 'replace'))


main()
