/** The module wait_for, in the sandbox: no program listens on its ports, and no other host can be reached. */
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import type { ArgumentSpec } from '../argument-spec.ts'
import { checkArguments } from '../check-arguments.ts'
import { fail, type Module, type Result } from '../module.ts'

const SPEC: ArgumentSpec = {
  host: { default: '127.0.0.1' },
  timeout: { type: 'int', default: 300 },
  connect_timeout: { type: 'int', default: 5 },
  delay: { type: 'int', default: 0 },
  port: { type: 'int' },
  active_connection_states: {
    type: 'list',
    elements: 'str',
    default: ['ESTABLISHED', 'FIN_WAIT1', 'FIN_WAIT2', 'SYN_RECV', 'SYN_SENT', 'TIME_WAIT'],
  },
  path: { type: 'path' },
  search_regex: {},
  state: { default: 'started', choices: ['absent', 'drained', 'present', 'started', 'stopped'] },
  exclude_hosts: { type: 'list', elements: 'str' },
  sleep: { type: 'int', default: 1 },
  msg: {},
}

const LOCAL = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/

export const waitFor: Module = {
  runsIn: 'process',
  async run({ args, action, isCheckMode, pace }): Promise<Result> {
    const params = checkArguments(action, SPEC, args)
    if (isCheckMode) return { skipped: true, msg: `remote module (${action}) does not support check mode` }
    const { host, port, path, state, timeout, delay, sleep, search_regex: pattern, msg } = params
    if (port && path) fail('port and path parameter can not both be passed to wait_for', { elapsed: 0 })
    if (path !== null || state === 'drained')
      throw new UnsupportedPlaybook(`wait_for with ${path === null ? 'state: drained' : 'path'}`)
    const start = pace.now()
    const elapsed = (): number => Math.floor((pace.now() - start) / 1000)
    await pace.sleep(delay * 1000)
    if (!port) await pace.sleep(timeout * 1000)
    else if (state === 'started' || state === 'present') {
      // A port of the sandbox itself refuses at once; in its network, no other address has a route.
      if (!LOCAL.test(host) && !/^[\d.]+$/.test(host))
        throw new UnsupportedPlaybook('wait_for with the name of a host')
      while (pace.now() < start + timeout * 1000) await pace.sleep(sleep * 1000)
      const what = pattern === null ? '' : `search string ${pattern} in `
      fail(msg ?? `Timeout when waiting for ${what}${host}:${port}`, { elapsed: elapsed() })
    }
    return {
      state,
      port,
      search_regex: pattern,
      match_groups: [],
      match_groupdict: {},
      path,
      elapsed: elapsed(),
    }
  },
}
