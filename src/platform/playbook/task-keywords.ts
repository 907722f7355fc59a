/** The keywords of a task, as opposed to module names. */

const KEYWORDS = new Set([
  ...[
    'any_errors_fatal',
    'args',
    'async',
    'become',
    'become_exe',
    'become_flags',
    'become_method',
    'become_user',
  ],
  ...[
    'changed_when',
    'check_mode',
    'collections',
    'connection',
    'debugger',
    'delay',
    'delegate_facts',
    'delegate_to',
  ],
  ...[
    'diff',
    'environment',
    'failed_when',
    'ignore_errors',
    'ignore_unreachable',
    'listen',
    'loop',
    'loop_control',
  ],
  ...[
    'module_defaults',
    'name',
    'no_log',
    'notify',
    'poll',
    'port',
    'register',
    'remote_user',
    'retries',
    'run_once',
  ],
  ...['tags', 'throttle', 'timeout', 'until', 'vars', 'when'],
])

export const isTaskKeyword = (name: string): boolean => KEYWORDS.has(name) || name.startsWith('with_')
