/** The contract of xenon and xenoncli: a replicated MySQL cluster that elects its leader through the Kubernetes API. */
import { describe, expect, it } from 'vitest'

/** A pod of the cluster: a MySQL server, and xenon beside it. */
export interface XenonPod {
  /** Runs a statement as root on the MySQL server of the pod. Resolves with the rows, or the message of the error. */
  query(statement: string): Promise<unknown>
  /** Runs xenoncli in the pod. */
  runXenoncli(...args: string[]): Promise<{ readonly code: number; readonly out: string }>
  /** Asks xenon to terminate, and resolves with its exit code. */
  terminate(): Promise<number>
  /** The output of xenon. */
  output(): string
  /** Removes the pod. */
  remove(): Promise<void>
}

export interface XenonSubject {
  /** Adds a pod that has the label `app: db`. */
  add(name: string): Promise<XenonPod>
  /** The role labels of the pods by their names. */
  roles(): Promise<Readonly<Record<string, string | undefined>>>
  sleep(ms: number): Promise<void>
}

export type WithXenonSubject = (work: (subject: XenonSubject) => Promise<void>) => Promise<void>

const POLL_MS = 50
const MAX_POLLS = 300

/** Resolves when `read` returns the expected value, and fails after a while. */
const waitFor = async (subject: XenonSubject, read: () => Promise<unknown>, expected: unknown) => {
  let seen: unknown
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    seen = await read()
    if (JSON.stringify(seen) === JSON.stringify(expected)) return
    await subject.sleep(POLL_MS)
  }
  expect(seen).toEqual(expected)
}

export const describeXenon = (name: string, withSubject: WithXenonSubject): void => {
  describe(name, () => {
    it('elects the first pod, replicates to later ones, and fails over without losing data', () =>
      withSubject(async (subject) => {
        const first = await subject.add('db-0')
        await waitFor(subject, subject.roles, { 'db-0': 'leader' })
        await first.query('CREATE TABLE ts.t (a INT)')
        const second = await subject.add('db-1')
        const third = await subject.add('db-2')
        await waitFor(subject, subject.roles, { 'db-0': 'leader', 'db-1': 'follower', 'db-2': 'follower' })
        await first.query('INSERT INTO ts.t VALUES (7)')
        for (const pod of [second, third])
          await waitFor(subject, () => pod.query('SELECT a FROM ts.t'), [['7']])
        expect(await second.query('INSERT INTO ts.t VALUES (8)')).toContain('read-only')
        await first.remove()
        await waitFor(subject, subject.roles, { 'db-1': 'leader', 'db-2': 'follower' })
        await second.query('INSERT INTO ts.t VALUES (8)')
        await waitFor(subject, () => third.query('SELECT a FROM ts.t ORDER BY a'), [['7'], ['8']])
      }))

    it('makes the server of a leader that terminates read-only', () =>
      withSubject(async (subject) => {
        const pod = await subject.add('db-0')
        await waitFor(subject, subject.roles, { 'db-0': 'leader' })
        expect(await pod.query('SELECT @@read_only')).toEqual([['0']])
        expect(await pod.terminate()).toBe(0)
        expect(await pod.query('SELECT @@read_only')).toEqual([['1']])
        expect(pod.output()).toMatch(/\[INFO\] xenon.server\[db-0\].is.running\n.* LEADER\[ID:db-0, V:1\]/)
      }))

    it('answers xenoncli in its pod', () =>
      withSubject(async (subject) => {
        const pod = await subject.add('db-0')
        await waitFor(subject, subject.roles, { 'db-0': 'leader' })
        expect(await pod.runXenoncli('xenon', 'ping')).toEqual({ code: 0, out: 'OK\n' })
        const { out } = await pod.runXenoncli('raft', 'status')
        expect(JSON.parse(out)).toMatchObject({ name: 'db-0', leading: true, term: 1, alive: true })
        expect(await pod.runXenoncli('xenon', 'sing')).toEqual({ code: 1, out: '' })
        await pod.terminate()
        expect(await pod.runXenoncli('xenon', 'ping')).toEqual({ code: 1, out: '' })
      }))
  })
}
