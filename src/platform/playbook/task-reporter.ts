/** An Ansible callback plugin that writes task results as JSON lines to file descriptor 3, and the parser of these lines. */
import type { PlaybookTaskResult } from '#spec'

export type TaskResult = PlaybookTaskResult

export const REPORTER_NAME = 'remedium_reporter'

/** Python source. Errors while writing are ignored, so that reporting never affects the playbook. */
export const REPORTER = `
from ansible.plugins.callback import CallbackBase
import json
import os

MAX_CHARACTERS = 2000


def message_of(result):
    if result.get('censored'):
        return str(result['censored'])
    texts = []
    for key in ('msg', 'reason', 'stderr', 'module_stderr', 'stdout', 'module_stdout', 'skip_reason'):
        value = result.get(key)
        if value in (None, '', [], {}):
            continue
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        texts.append(text.strip())
    return '\\n'.join(texts)[:MAX_CHARACTERS]


def messages_of_items(result):
    texts = []
    for item in (result.get('results') or [])[:20]:
        if isinstance(item, dict) and (item.get('failed') or item.get('stdout') or item.get('msg')):
            texts.append(message_of(item))
    return '\\n'.join(texts)[:MAX_CHARACTERS]


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = '${REPORTER_NAME}'

    def __init__(self):
        super().__init__()
        self.play = ''

    def report(self, result, outcome):
        try:
            fields = result._result if isinstance(result._result, dict) else {}
            line = {
                'play': str(self.play)[:200],
                'task': str(result._task.get_name())[:200],
                'outcome': outcome,
                'message': messages_of_items(fields) or message_of(fields),
            }
            data = (json.dumps(line, default=str) + '\\n').encode()
            while data:
                data = data[os.write(3, data):]
        except Exception:
            pass

    def v2_playbook_on_play_start(self, play):
        self.play = play.get_name()

    def v2_runner_on_ok(self, result):
        self.report(result, 'changed' if result._result.get('changed') else 'ok')

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.report(result, 'failed')

    def v2_runner_on_skipped(self, result):
        self.report(result, 'skipped')

    def v2_runner_on_unreachable(self, result):
        self.report(result, 'unreachable')
`

const OUTCOMES: readonly string[] = ['ok', 'changed', 'skipped', 'failed', 'unreachable']

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength

/** Returns undefined for an invalid line: processes of the playbook can write to the descriptor too. */
export const parseTaskResult = (line: string): TaskResult | undefined => {
  try {
    const { play, task, outcome, message } = JSON.parse(line)
    if (!isText(play, 400) || !isText(task, 400) || !OUTCOMES.includes(outcome)) return undefined
    return { play, task, outcome, ...(isText(message, 8000) && message !== '' ? { message } : {}) }
  } catch {
    return undefined
  }
}
