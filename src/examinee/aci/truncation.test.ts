/** Tests that the last line of a truncated observation, and only of a truncated one, says how to see the rest. */
import { describe, expect, it } from 'vitest'
import type { Observation } from '#spec'
import { callAction, withSignals } from './testing/call-action.ts'
import { toObject } from './testing/fake-context.ts'
import { MAX_CHARACTERS } from './to-text.ts'

const lastLineOf = ({ text }: Observation): string => text.split('\n').at(-1)!

describe('truncation of objects', () => {
  it('is reported, and keeps the observation within the limit', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`key-${index}`, 'x'.repeat(90)]),
    )
    const huge = toObject('ConfigMap', 'huge', { data: { ...data, program: 'y'.repeat(9000) } })
    const observation = await callAction('get_objects', { kind: 'cm', name: 'huge' }, { objects: [huge] })
    expect(observation.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
    expect(lastLineOf(observation)).toBe(
      'Output truncated. To see more, if exec_shell is available, run kubectl get configmaps huge -o yaml.',
    )
    expect(observation.data).toMatchObject([{ data: { program: 'y'.repeat(9000) } }])
    const configMaps = Array.from({ length: 500 }, (_, index) =>
      toObject('ConfigMap', `some-long-name-${index}`),
    )
    const list = await callAction('get_objects', { kind: 'cm' }, { objects: configMaps })
    expect(list.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
    expect(lastLineOf(list)).toMatch(/^Output truncated. To see more, pass a selector/)
  })

  it.each(['get_objects', 'describe'])('does not happen in %s if the object fits', async (action) => {
    const file = `${'x'.repeat(2000)} RateMongoAddress ${'x'.repeat(2000)}`
    const config = toObject('ConfigMap', 'config', { data: { 'config.json': file } })
    const { text } = await callAction(action, { kind: 'cm', name: 'config' }, { objects: [config] })
    expect(text).toContain(file)
    expect(text).not.toContain('Output truncated')
  })

  it.each(['get_objects', 'describe'])('shortens only the longest values in %s', async (action) => {
    const files = { large: 'y'.repeat(9000), small: 'z'.repeat(1500) }
    const config = toObject('ConfigMap', 'config', { data: files })
    const answer = await callAction(action, { kind: 'cm', name: 'config' }, { objects: [config] })
    expect(answer.text).toContain(files.small)
    expect(answer.text).toContain('characters omitted')
    expect(answer.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
    expect(lastLineOf(answer)).toMatch(/^Output truncated/)
  })

  it('is reported for events', async () => {
    const events = Array.from({ length: 15 }, () => ({
      time: 1000,
      type: 'Warning' as const,
      reason: 'BackOff',
      object: 'Deployment/cart',
      count: 1,
      message: 'm'.repeat(300),
    }))
    const answer = await callAction('describe', { kind: 'deployment', name: 'cart' }, { signals: { events } })
    expect(lastLineOf(answer)).toMatch(/^Output truncated. To see more, call get_objects/)
    expect(answer.text.length).toBeLessThanOrEqual(MAX_CHARACTERS)
  })
})

describe('truncation of telemetry', () => {
  it('keeps all services of a large system', async () => {
    const objects = Array.from({ length: 60 }, (_, index) => toObject('StatefulSet', `ts-service-${index}`))
    const { text } = await callAction('get_topology', {}, { objects })
    for (const { metadata } of objects) expect(text).toContain(`\n- ${metadata.name}`)
    expect(text).not.toContain('Output truncated')
  })

  it('is reported for a long value', async () => {
    const queryText = (text: string) =>
      callAction(
        'query_telemetry',
        { sql: 'SELECT text FROM logs' },
        withSignals({ sql: () => ({ columns: ['text'], rows: [{ text }], truncated: false }) }),
      )
    expect(lastLineOf(await queryText('x'.repeat(201)))).toContain('substr(COLUMN, 201, 200)')
    expect((await queryText('x'.repeat(200))).text).not.toContain('Output truncated')
  })

  it('is reported for a long line', async () => {
    const line = { time: 1000, namespace: 'shop', service: 'cart', pod: 'cart-1', container: 'cart' }
    const getLogs = (text: string) =>
      callAction('get_logs', {}, withSignals({ logs: [{ ...line, severity: 'info', text }] }))
    expect(lastLineOf(await getLogs('x'.repeat(301)))).toContain('substr(text, 301, 200)')
    expect((await getLogs('x'.repeat(300))).text).not.toContain('Output truncated')
  })

  it('is reported for a long alert', async () => {
    const alert = { name: 'Many', severity: 'page' as const, labels: {}, raised: 1000 }
    const alerts = [{ ...alert, summary: 'x'.repeat(500) }]
    expect(lastLineOf(await callAction('get_alerts', {}, withSignals({ alerts })))).toMatch(
      /^Output truncated/,
    )
  })
})

it('does not refer to the output of a successful playbook, which is not shown', async () => {
  const task = { play: 'Look', task: 'Show', outcome: 'ok', message: 'x'.repeat(500) } as const
  const run = async () => ({
    ok: true,
    isRefused: false,
    findings: [],
    tasks: [task],
    output: '',
    milliseconds: 1,
  })
  const answer = await callAction('run_playbook', { playbook: '- hosts: all' }, { playbooks: { run } })
  expect(lastLineOf(answer)).toBe(
    'Output truncated. To see more, run a playbook with fewer tasks or shorter messages.',
  )
})
