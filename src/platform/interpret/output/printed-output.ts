/** The output of ansible-playbook on a terminal without colours. */
import type { Task } from '../load/playbook-tree.ts'
import type { Result } from '../modules/module.ts'
import { pythonJson } from '../python/python-json.ts'
import { isTrue, pythonString } from '../python/python-text.ts'
import type { PlayStats } from '../run/play-stats.ts'
import { wrapText } from './wrap-text.ts'

const COLUMNS = 79
const MIN_STARS = 3
const DEBUG_KEYS = new Set(['msg', 'exception', 'warnings', 'deprecations'])
const HIDDEN_IN_DEBUG = new Set(['changed', 'failed', 'skipped', 'invocation', 'skip_reason'])
const CENSORED =
  "the output has been hidden due to the fact that 'no_log: true' was specified for this result"

const isDebug = ({ module }: Task): boolean => module === 'ansible.builtin.debug'

/** The result as callbacks get it. */
export const censored = (result: Result): Result =>
  isTrue(result._ansible_no_log)
    ? { censored: CENSORED, ...('changed' in result ? { changed: result.changed } : {}) }
    : result

const isShown = (task: Task, key: string, result: Result): boolean => {
  if (
    key.startsWith('_ansible_') ||
    ['failed', 'skipped', 'exception', 'warnings', 'deprecations', 'invocation'].includes(key)
  )
    return false
  if (!isDebug(task)) return true
  return 'msg' in result ? DEBUG_KEYS.has(key) : !HIDDEN_IN_DEBUG.has(key)
}

const dump = (task: Task, result: Result): string => {
  const shown = Object.fromEntries(
    Object.entries(censored(result)).filter(([key]) => isShown(task, key, result)),
  )
  const isVerbose = isTrue(result._ansible_verbose_always)
  return pythonJson(shown, { sortKeys: true, ...(isVerbose ? { indent: 4 } : {}) })
}

export interface PrintedOutput {
  play(name: string): void
  task(name: string, prefix?: 'TASK' | 'RUNNING HANDLER'): void
  item(task: Task, result: Result, host: string): void
  ok(task: Task, result: Result, host: string): void
  failed(task: Task, result: Result, host: string, isIgnored: boolean): void
  skipped(host: string): void
  retry(host: string, taskName: string, left: number): void
  noHosts(): void
  recap(host: string, stats: PlayStats): void
  /** The recap of a playbook that ran no task. */
  emptyRecap(): void
  line(text: string): void
  warning(text: string): void
  text(): string
}

const itemLabel = (result: Result): string =>
  isTrue(result._ansible_no_log) ? '(censored due to no_log)' : pythonString(result._ansible_item_label)

export const createPrintedOutput = (): PrintedOutput => {
  const parts: string[] = []
  const warned = new Set<string>()
  const line = (text: string): void => {
    parts.push(`${text}\n`)
  }
  const banner = (text: string): void => {
    const stars = '*'.repeat(Math.max(MIN_STARS, COLUMNS - text.length))
    line(`\n${text} ${stars}`)
  }
  const warning = (text: string): void => {
    if (warned.has(text)) return
    warned.add(text)
    for (const each of wrapText(`[WARNING]: ${text}`, COLUMNS)) line(each)
  }
  const warnings = (result: Result): void => {
    if (Array.isArray(result.warnings)) for (const text of result.warnings) warning(pythonString(text))
  }
  const exception = (result: Result): void => {
    if (typeof result.exception !== 'string' || isTrue(result._ansible_no_log)) return
    const last = result.exception.trim().split('\n').at(-1)
    line(
      `An exception occurred during task execution. To see the full traceback, use -vvv. The error was: ${last}`,
    )
  }
  return {
    line,
    warning,
    text: () => parts.join(''),
    play: (name) => banner(name === '' ? 'PLAY' : `PLAY [${name.trim()}]`),
    task: (name, prefix = 'TASK') => banner(`${prefix} [${name.trim()}]`),
    noHosts: () => line('skipping: no hosts matched'),
    retry: (host, taskName, left) =>
      line(`FAILED - RETRYING: [${host}]: ${taskName} (${left} retries left).`),
    skipped: (host) => line(`skipping: [${host}]`),
    item(task, result, host) {
      const label = itemLabel(result)
      if (isTrue(result.failed)) {
        exception(result)
        warnings(result)
        return line(`failed: [${host}] (item=${label}) => ${dump(task, result)}`)
      }
      if (isTrue(result.skipped)) return line(`skipping: [${host}] => (item=${label}) `)
      const state = isTrue(result.changed) ? 'changed' : 'ok'
      const details = isTrue(result._ansible_verbose_always) ? ` => ${dump(task, result)}` : ''
      line(`${state}: [${host}] => (item=${label})${details}`)
    },
    ok(task, result, host) {
      warnings(result)
      if ('results' in result && task.loop !== undefined) return
      const state = isTrue(result.changed) ? 'changed' : 'ok'
      const details = isTrue(result._ansible_verbose_always) ? ` => ${dump(task, result)}` : ''
      line(`${state}: [${host}]${details}`)
    },
    failed(task, result, host, isIgnored) {
      exception(result)
      warnings(result)
      if (!('results' in result) || task.loop === undefined)
        line(`fatal: [${host}]: FAILED! => ${dump(task, result)}`)
      if (isIgnored) line('...ignoring')
    },
    emptyRecap() {
      banner('PLAY RECAP')
      line('')
    },
    recap(host, { ok, changed, failures, skipped, rescued, ignored }) {
      banner('PLAY RECAP')
      const figures = { ok, changed, unreachable: 0, failed: failures, skipped, rescued, ignored }
      const cells = Object.entries(figures).map(([name, count]) => `${name}=${String(count).padEnd(4)}`)
      line(`${host.padEnd(26)} : ${cells.join(' ')}`)
      line('')
    },
  }
}
