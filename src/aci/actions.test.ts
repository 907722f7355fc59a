/** What each action answers, with good and with bad input, and how much of it. */
import { describe, expect, it } from 'vitest'
import type { Alert, EdgeStatistics, LogLine, Observation, SolverEvent, SqlAnswer } from '../spec/index.ts'
import { runPlaybook } from './actions/run-playbook.ts'
import type { PlaybookReport, Shell } from './ports.ts'
import { callAction, withSignals } from './testing/call-action.ts'
import { toObject } from './testing/fake-context.ts'
import { MOST_LETTERS } from './to-text.ts'

const linesOf = ({ text }: Observation): string[] => text.split('\n')

const toAlert = (name: string, more: Partial<Alert> = {}): Alert => ({
  name,
  severity: 'page',
  labels: { service: 'cart' },
  summary: `${name} holds`,
  raised: 1000,
  ...more,
})
const toLog = (text: string, more: Partial<LogLine> = {}): LogLine => ({
  time: 1000,
  namespace: 'shop',
  service: 'cart',
  pod: 'cart-1',
  container: 'cart',
  severity: 'info',
  text,
  ...more,
})
const toEdge = (from: string, to: string, errorRate: number, p95 = 5): EdgeStatistics => ({
  from,
  to,
  count: 10,
  rate: 1,
  errors: 10 * errorRate,
  errorRate,
  p95,
})

describe('get_alerts', () => {
  const alerts = [toAlert('Old', { cleared: 2000 }), toAlert('Small', { severity: 'ticket' }), toAlert('Big')]

  it('gives those that hold, pages first', async () => {
    const { text, data } = await callAction('get_alerts', {}, withSignals({ alerts }))
    expect(text).toMatch(/Big holds[\s\S]*Small holds/)
    expect(text).not.toContain('Old')
    expect(data).toEqual([alerts[2], alerts[1]])
  })

  it('gives all of them when asked', async () => {
    expect((await callAction('get_alerts', { all: true }, withSignals({ alerts }))).text).toContain(
      'Old holds',
    )
  })
})

describe('get_metrics', () => {
  const samples = [3, 9, 6].map((value, index) => ({
    time: index * 1000,
    name: 'queue_length',
    labels: { service: 'cart' },
    value,
  }))

  it('gives how users fare', async () => {
    const { text, data } = await callAction('get_metrics', {})
    expect(text).toContain('buy: 1.5/s, 33.3 % fail, p50 4 ms, p95 88 ms')
    expect(data).toMatchObject({ journeys: [{ journey: 'buy' }], endpoints: [], usage: [] })
  })

  it('gives one series, and refuses a name that there is not with those that there are', async () => {
    const { text, data } = await callAction(
      'get_metrics',
      { metric: 'queue_length' },
      withSignals({ samples }),
    )
    expect(text).toContain('3 at 00:00:00.000, 6 at 00:00:02.000, least 3, most 9 (3 samples)')
    expect(data).toMatchObject({ samples })
    expect(
      await callAction('get_metrics', { metric: 'queue_lenght' }, withSignals({ samples })),
    ).toMatchObject({
      ok: false,
      text: expect.stringContaining('did you mean "queue_length". The metrics are: queue_length.'),
    })
  })

  it('gives what pods use against their limits', async () => {
    const limits = { cpu: '500m', memory: '100Mi' }
    const pod = toObject('Pod', 'cart-1', { spec: { containers: [{ name: 'cart', resources: { limits } }] } })
    const row = { service: 'cart', pod: 'cart-1', container: 'cart', first: 0, last: 10_000 }
    const sql = (): SqlAnswer => ({
      columns: [],
      truncated: false,
      rows: [
        { ...row, name: 'container_cpu_usage_seconds_total', most: 6, grown: 5 },
        { ...row, name: 'container_cpu_cfs_periods_total', most: 100, grown: 100 },
        { ...row, name: 'container_cpu_cfs_throttled_periods_total', most: 90, grown: 80 },
        { ...row, name: 'container_memory_working_set_bytes', most: 2 ** 20, grown: 0 },
        { ...row, pod: 'gone', name: 'container_memory_working_set_bytes', most: 2 ** 20, grown: 0 },
      ],
    })
    const { text, data } = await callAction('get_metrics', {}, { objects: [pod], signals: { sql } })
    expect(text).toContain('cart-1 cart: cpu 0.50 of 0.5 cores, throttled 80 %; memory 1 MiB of 100 MiB')
    expect(data).toMatchObject({
      usage: [
        { pod: 'cart-1', cpuCores: 0.5, cpuLimitCores: 0.5, throttledShare: 0.8, memoryBytes: 2 ** 20 },
      ],
    })
  })
})

describe('get_logs', () => {
  it('tells what is alike once, the worst first', async () => {
    const logs = [
      ...[1, 2, 3].map((number) => toLog(`served request ${number}`)),
      toLog('cannot reach redis:6379', { severity: 'error' }),
    ]
    const answer = await callAction('get_logs', { service: 'cart' }, withSignals({ logs }))
    const [, first, second] = linesOf(answer)
    expect(first).toContain('error cart-1: cannot reach redis:6379')
    expect(second).toContain('(3 lines like this')
    expect(answer.data).toEqual(logs)
  })

  it('says how to find more where there are none, and which services there are', async () => {
    expect((await callAction('get_logs', { contains: 'x' })).text).toContain('A larger since_seconds')
    expect(await callAction('get_logs', { service: 'crat' })).toMatchObject({
      ok: false,
      text: 'There is no service "crat"; did you mean "cart". The services are: cart, front.',
    })
  })
})

describe('get_topology', () => {
  it('gives what got worse first, beside how it was when users were well, and what has vanished', async () => {
    const before = [toEdge('front', 'cart', 0), toEdge('front', 'ads', 0), toEdge('cart', 'redis', 0)]
    const now = [toEdge('front', 'ads', 0), toEdge('front', 'cart', 0.5, 900)]
    const graph = (isCalm: boolean) => (isCalm ? before : now)
    const answer = await callAction('get_topology', {}, withSignals({ graph }))
    expect(linesOf(answer)[1]).toBe(
      '- front -> cart: 1.0/s, 50 % fail, p95 900 ms (before: 1.0/s, 0 % fail, p95 5 ms)',
    )
    expect(answer.text).toContain('- cart -> redis: 1.0/s before')
    expect(answer.data).toEqual({ services: ['cart', 'front'], edges: now, before })
  })
})

describe('get_objects', () => {
  const secret = toObject('Secret', 'login', { data: { password: 'aHVudGVy' } })
  const pods = [
    toObject('Pod', 'a', {
      spec: { containers: [{}] },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    }),
    toObject('Pod', 'b', {
      spec: { containers: [{}] },
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'main', restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } },
        ],
      },
    }),
  ]

  it('lists a kind by any of its names, those in trouble first', async () => {
    const answer = await callAction('get_objects', { kind: 'po' }, { objects: pods })
    expect(linesOf(answer)[1]).toBe(
      '- b: Running, 0/1 ready, main waits: CrashLoopBackOff, 4 restarts, on no node',
    )
    expect(answer.data).toEqual(pods)
  })

  it('shows values of secrets by name alone', async () => {
    const all = await callAction('get_objects', { kind: 'Secret' }, { objects: [secret] })
    expect(JSON.stringify(all.data) + all.text).not.toContain('aHVudGVy')
    const one = await callAction('get_objects', { kind: 'secrets', name: 'login' }, { objects: [secret] })
    expect(one.text).toContain('password: aHVudGVy')
  })

  it('says what kinds and names there are', async () => {
    expect((await callAction('get_objects', { kind: 'PodChaos' })).text).toContain(
      'Kinds are: Pod, Deployment',
    )
    expect((await callAction('get_objects', { kind: 'deploy', name: 'crat' })).text).toBe(
      'There is no Deployment "crat"; did you mean "cart". There are: cart, front.',
    )
  })

  it('hides events about what is not of the system, and what nobody reads', async () => {
    const events = ['PodChaos', 'Pod'].map((kind) =>
      toObject('Event', `of-${kind}`, { involvedObject: { kind } }),
    )
    const { data } = await callAction('get_objects', { kind: 'events' }, { objects: events })
    expect(data).toMatchObject([{ metadata: { name: 'of-Pod' } }])
    const noisy = toObject('Pod', 'n', { metadata: { name: 'n', managedFields: [{}] } })
    expect(
      (await callAction('get_objects', { kind: 'pod', name: 'n' }, { objects: [noisy] })).text,
    ).not.toContain('managedFields')
  })
})

describe('describe', () => {
  it('gives an object with what it owns and the events of all of them', async () => {
    const owner = { uid: 'Deployment-cart' }
    const set = toObject('ReplicaSet', 'cart-1', {
      metadata: { name: 'cart-1', uid: 'set', ownerReferences: [owner] },
      spec: { replicas: 1 },
    })
    const pod = toObject('Pod', 'cart-1-a', {
      metadata: { name: 'cart-1-a', uid: 'pod', ownerReferences: [{ uid: 'set' }] },
      spec: { containers: [] },
    })
    const events = ['Pod/cart-1-a', 'Pod/other'].map((object) => ({
      time: 1000,
      type: 'Warning' as const,
      reason: 'BackOff',
      object,
      message: 'again',
      count: 3,
    }))
    const { text, data } = await callAction(
      'describe',
      { kind: 'deployment', name: 'cart' },
      { objects: [set, pod], signals: { events } },
    )
    expect(text).toContain('00:00:01.000 Warning BackOff of Pod/cart-1-a (3 times): again')
    expect(data).toMatchObject({ owned: [{ kind: 'ReplicaSet' }, { kind: 'Pod' }], events: [events[0]] })
    expect(await callAction('describe', { kind: 'deployment', name: 'nothing' })).toMatchObject({ ok: false })
  })
})

describe('query_telemetry', () => {
  it('gives rows, as many as find room', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({ name: `row ${index}`, n: index }))
    const sql = (): SqlAnswer => ({ columns: ['name', 'n'], rows, truncated: false })
    const answer = await callAction('query_telemetry', { sql: 'SELECT ...' }, withSignals({ sql }))
    expect(linesOf(answer).slice(0, 2)).toEqual(['900 rows; columns name | n:', '- row 0 | 0'])
    expect(answer.text.length).toBeLessThanOrEqual(MOST_LETTERS)
    expect(linesOf(answer).at(-1)).toContain('LIMIT')
    expect((answer.data as SqlAnswer).rows).toHaveLength(200)
    expect(answer.data).toMatchObject({ truncated: true })
  })

  it('explains what is wrong with a query', async () => {
    const { ok, text } = await callAction('query_telemetry', { sql: 'SELECT * FROM nothing' })
    expect(ok).toBe(false)
    expect(text).toMatch(/^no such table: nothing\. Only one SELECT is answered.*Tables:\nspans\(/)
  })
})

describe('exec_shell', () => {
  it('gives what the command said, and what it complained', async () => {
    const asked: unknown[] = []
    const shell: Shell = {
      async run({ signal: _, ...request }) {
        asked.push(request)
        return { exitCode: 2, stdout: `${'a\n'.repeat(9000)}the end`, stderr: 'oh', trouble: 'too long' }
      },
    }
    const answer = await callAction('exec_shell', { command: 'x', timeout_seconds: 5 }, { shell })
    expect(asked).toEqual([{ command: 'x', kubeconfig: 'a-kubeconfig', namespace: 'shop', timeoutMs: 5000 }])
    expect(answer.ok).toBe(false)
    expect(linesOf(answer)[0]).toBe('exit code 2; it was ended: too long')
    expect(answer.text).toMatch(/characters left out[\s\S]*the end\nstderr:\noh\nThe rest: /)
    expect(answer.text.length).toBeLessThanOrEqual(MOST_LETTERS)
    expect(answer.fake.works).toHaveLength(1)
  })

  it('takes no more time than there is', async () => {
    const shell: Shell = { run: async () => ({ exitCode: 0, stdout: '', stderr: '' }) }
    expect(
      (await callAction('exec_shell', { command: 'x', timeout_seconds: 9999 }, { shell })).text,
    ).toContain('timeout_seconds: ')
  })
})

describe('run_playbook', () => {
  const runWith = (report: PlaybookReport, events: readonly SolverEvent[] = []) =>
    callAction(
      'run_playbook',
      { playbook: '- hosts: localhost' },
      {
        playbooks: {
          async run({ onEvent }) {
            for (const event of events) onEvent(event)
            return report
          },
        },
      },
    )
  const task = { play: 'Mend', task: 'Patch it', outcome: 'failed', message: 'forbidden' } as const

  it('tells how each task ended, and writes it down', async () => {
    const event: SolverEvent = { type: 'task-ended', ...task }
    const good = { ...task, outcome: 'ok', task: 'Look' } as const
    const answer = await runWith({ ok: false, tasks: [good, task], output: 'fatal: ...' }, [event])
    expect(linesOf(answer).slice(0, 4)).toEqual([
      'The playbook failed.',
      'Tasks, those that failed first:',
      '- FAILED: Patch it (Mend): forbidden',
      '- OK: Look (Mend): forbidden',
    ])
    expect(answer.text).toContain('What Ansible said:\nfatal: ...')
    expect(answer.fake.events).toEqual([event])
    expect(answer.data).toEqual({ ok: false, tasks: [good, task], output: 'fatal: ...' })
  })

  it('tells of tasks that failed where the playbook went on', async () => {
    const good = { ...task, outcome: 'ok' } as const
    const first = async (...tasks: readonly (typeof task | typeof good)[]) =>
      linesOf(await runWith({ ok: true, tasks, output: '' }))[0]
    expect(await first(good)).toBe('The playbook ran, and every task went well.')
    expect(await first(task, good)).toBe(
      'The playbook ran to its end, but 1 of its tasks failed and was ignored or rescued.',
    )
    expect(await first(task, good, task)).toContain('but 2 of its tasks failed and were ignored or rescued.')
  })

  it('tells beforehand how long a playbook may take', () => {
    expect(runPlaybook.about).toContain('After 120 s it is ended')
  })

  it('says why it was refused, and what was taken back', async () => {
    const refused = await runWith({
      ok: false,
      tasks: [],
      output: '',
      isRefused: true,
      findings: ['it deletes a namespace'],
    })
    expect(refused.text).toContain('was refused and not run.\nBecause:\n- it deletes a namespace')
    const back = await runWith({ ok: false, tasks: [task], output: '', rolledBack: ['Deployment/cart'] })
    expect(back.text).toContain('What it had changed was taken back: Deployment/cart.')
    expect(back.data).toMatchObject({ rolledBack: ['Deployment/cart'] })
  })
})

describe('submit', () => {
  it.each([
    ['detection', {}, 'detected'],
    ['localisation', { detected: true }, 'services'],
    ['analysis', { layer: 'network' }, 'type'],
    ['end-to-end', { detected: true }, 'services, layer, type'],
  ] as const)('of %s needs its answers', async (task, input, missing) => {
    const { ok, text, fake } = await callAction('submit', input, { task })
    expect({ ok, text }).toEqual({
      ok: false,
      text: `The task ${task} asks for ${missing}. Submit again with it; nothing was submitted yet.`,
    })
    expect(fake.answers).toEqual([])
  })

  it.each(['detection', 'localisation', 'analysis', 'end-to-end'] as const)(
    'of %s may say that nothing is wrong',
    async (task) => {
      const { fake } = await callAction('submit', { detected: false }, { task })
      expect(fake.answers).toEqual([{ detected: false }])
    },
  )

  it('refuses services, layers and types that there are not', async () => {
    expect((await callAction('submit', { services: ['cart', 'crat'] })).text).toContain('did you mean "cart"')
    expect((await callAction('submit', { layer: 'cloud' })).text).toContain('layer: ')
  })
})
