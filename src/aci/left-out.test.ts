/** What finds no room in answers: the last line says how to get it, and only where something was left out. */
import { describe, expect, it } from 'vitest'
import type { Observation } from '../spec/index.ts'
import { callAction, withSignals } from './testing/call-action.ts'
import { toObject } from './testing/fake-context.ts'
import { MOST_LETTERS } from './to-text.ts'

const lastOf = ({ text }: Observation): string => text.split('\n').at(-1)!

describe('of objects', () => {
  it('is told, and the answer stays short', async () => {
    const data = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`key-${index}`, 'x'.repeat(90)]),
    )
    const huge = toObject('ConfigMap', 'huge', { data: { ...data, program: 'y'.repeat(9000) } })
    const one = await callAction('get_objects', { kind: 'cm', name: 'huge' }, { objects: [huge] })
    expect(one.text.length).toBeLessThanOrEqual(MOST_LETTERS)
    expect(lastOf(one)).toBe('The rest, where you have exec_shell: kubectl get configmaps huge -o yaml.')
    expect(one.data).toMatchObject([{ data: { program: 'y'.repeat(9000) } }])
    const many = Array.from({ length: 500 }, (_, index) => toObject('ConfigMap', `some-long-name-${index}`))
    const all = await callAction('get_objects', { kind: 'cm' }, { objects: many })
    expect(all.text.length).toBeLessThanOrEqual(MOST_LETTERS)
    expect(lastOf(all)).toMatch(/^The rest: give a selector/)
  })

  it.each(['get_objects', 'describe'])('is nothing by %s where the whole finds room', async (action) => {
    const file = `${'x'.repeat(2000)} RateMongoAddress ${'x'.repeat(2000)}`
    const config = toObject('ConfigMap', 'config', { data: { 'config.json': file } })
    const { text } = await callAction(action, { kind: 'cm', name: 'config' }, { objects: [config] })
    expect(text).toContain(file)
    expect(text).not.toContain('The rest')
  })

  it.each(['get_objects', 'describe'])('is by %s of the longest values alone', async (action) => {
    const files = { large: 'y'.repeat(9000), small: 'z'.repeat(1500) }
    const config = toObject('ConfigMap', 'config', { data: files })
    const answer = await callAction(action, { kind: 'cm', name: 'config' }, { objects: [config] })
    expect(answer.text).toContain(files.small)
    expect(answer.text).toContain('characters left out')
    expect(answer.text.length).toBeLessThanOrEqual(MOST_LETTERS)
    expect(lastOf(answer)).toMatch(/^The rest/)
  })

  it('is told where it is events', async () => {
    const events = Array.from({ length: 15 }, () => ({
      time: 1000,
      type: 'Warning' as const,
      reason: 'BackOff',
      object: 'Deployment/cart',
      count: 1,
      message: 'm'.repeat(300),
    }))
    const answer = await callAction('describe', { kind: 'deployment', name: 'cart' }, { signals: { events } })
    expect(lastOf(answer)).toMatch(/^The rest: get_objects/)
    expect(answer.text.length).toBeLessThanOrEqual(MOST_LETTERS)
  })
})

describe('of telemetry', () => {
  it('is no service, however many there are', async () => {
    const objects = Array.from({ length: 60 }, (_, index) => toObject('StatefulSet', `ts-service-${index}`))
    const { text } = await callAction('get_topology', {}, { objects })
    for (const { metadata } of objects) expect(text).toContain(`\n- ${metadata.name}`)
    expect(text).not.toContain('The rest')
  })

  it('is the rest of a long value', async () => {
    const ask = (text: string) =>
      callAction(
        'query_telemetry',
        { sql: 'SELECT text FROM logs' },
        withSignals({ sql: () => ({ columns: ['text'], rows: [{ text }], truncated: false }) }),
      )
    expect(lastOf(await ask('x'.repeat(201)))).toContain('substr(COLUMN, 201, 200)')
    expect((await ask('x'.repeat(200))).text).not.toContain('The rest')
  })

  it('is the rest of a long line', async () => {
    const line = { time: 1000, namespace: 'shop', service: 'cart', pod: 'cart-1', container: 'cart' }
    const ask = (text: string) =>
      callAction('get_logs', {}, withSignals({ logs: [{ ...line, severity: 'info', text }] }))
    expect(lastOf(await ask('x'.repeat(301)))).toContain('substr(text, 301, 200)')
    expect((await ask('x'.repeat(300))).text).not.toContain('The rest')
  })

  it('is the end of an alert of many words', async () => {
    const alert = { name: 'Many', severity: 'page' as const, labels: {}, raised: 1000 }
    const alerts = [{ ...alert, summary: 'x'.repeat(500) }]
    expect(lastOf(await callAction('get_alerts', {}, withSignals({ alerts })))).toMatch(/^The rest/)
  })
})

it('of a playbook that went through is not said to be in words that are not shown', async () => {
  const task = { play: 'Look', task: 'Show', outcome: 'ok', message: 'x'.repeat(500) } as const
  const run = async () => ({ ok: true, tasks: [task], output: '' })
  const answer = await callAction('run_playbook', { playbook: '- hosts: all' }, { playbooks: { run } })
  expect(lastOf(answer)).toBe('The rest: a playbook of fewer tasks, each of which says less.')
})
