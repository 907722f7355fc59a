/** A callback plugin of Ansible that tells what comes of each task, line by line, to descriptor 3; and the reader of those lines. */
import type { EpisodeEvent } from '../spec/index.ts'

export interface TaskResult {
  readonly play: string
  readonly task: string
  readonly outcome: Extract<EpisodeEvent, { type: 'task-ended' }>['outcome']
  /** What the module said, where it said something. */
  readonly message?: string
}

export const REPORTER_NAME = 'remedium_reporter'

/** Python. What it cannot write is nobody's trouble but the reader's. */
export const REPORTER = `
from ansible.plugins.callback import CallbackBase
import json
import os

MOST = 2000


def said(result):
    if result.get('censored'):
        return str(result['censored'])
    words = []
    for key in ('msg', 'reason', 'stderr', 'module_stderr', 'stdout', 'module_stdout', 'skip_reason'):
        value = result.get(key)
        if value in (None, '', [], {}):
            continue
        text = value if isinstance(value, str) else json.dumps(value, default=str)
        words.append(text.strip())
    return '\\n'.join(words)[:MOST]


def items(result):
    words = []
    for item in (result.get('results') or [])[:20]:
        if isinstance(item, dict) and (item.get('failed') or item.get('stdout') or item.get('msg')):
            words.append(said(item))
    return '\\n'.join(words)[:MOST]


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = '${REPORTER_NAME}'

    def __init__(self):
        super().__init__()
        self.play = ''

    def tell(self, result, outcome):
        try:
            told = result._result if isinstance(result._result, dict) else {}
            line = {
                'play': str(self.play)[:200],
                'task': str(result._task.get_name())[:200],
                'outcome': outcome,
                'message': items(told) or said(told),
            }
            data = (json.dumps(line, default=str) + '\\n').encode()
            while data:
                data = data[os.write(3, data):]
        except Exception:
            pass

    def v2_playbook_on_play_start(self, play):
        self.play = play.get_name()

    def v2_runner_on_ok(self, result):
        self.tell(result, 'changed' if result._result.get('changed') else 'ok')

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.tell(result, 'failed')

    def v2_runner_on_skipped(self, result):
        self.tell(result, 'skipped')

    def v2_runner_on_unreachable(self, result):
        self.tell(result, 'unreachable')
`

const OUTCOMES: readonly string[] = ['ok', 'changed', 'skipped', 'failed', 'unreachable']

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most

/** Undefined for what is no line of the plugin's; whoever runs inside may write there. */
export const parseTaskResult = (line: string): TaskResult | undefined => {
  try {
    const { play, task, outcome, message } = JSON.parse(line)
    if (!isText(play, 400) || !isText(task, 400) || !OUTCOMES.includes(outcome)) return undefined
    return { play, task, outcome, ...(isText(message, 8000) && message !== '' ? { message } : {}) }
  } catch {
    return undefined
  }
}
