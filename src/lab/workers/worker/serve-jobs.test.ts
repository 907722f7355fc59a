/** Tests how a worker's process ends after its parent is gone. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'

const SERVE_JOBS = join(import.meta.dirname, 'serve-jobs.ts')

let child: ChildProcess | undefined
afterEach(() => {
  child?.kill('SIGKILL')
})

/** Returns the exit code of a worker that loses its parent. `close` is a JavaScript expression. */
const exitCodeOf = async (close: string): Promise<number | null> => {
  const script = `
    const { serveJobs } = await import(${JSON.stringify(SERVE_JOBS)})
    setInterval(() => {}, 1000)
    serveJobs({ run: async () => {}, close: () => ${close} }, { endMs: 500 })
  `
  child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  const ended = once(child, 'exit')
  child.disconnect()
  return (await ended)[0]
}

it('exits when it has cleaned up', async () => {
  expect(await exitCodeOf('Promise.resolve()')).toBe(0)
})

it('exits even if it cannot clean up', async () => {
  expect(await exitCodeOf('new Promise(() => {})')).toBe(1)
})

it('passes input to its job, even if it arrives before the job listens', async () => {
  const script = `
    const { serveJobs } = await import(${JSON.stringify(SERVE_JOBS)})
    const run = async (_, { onInput, result }) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      await new Promise((resolve) => onInput((input) => (input === 'end' ? resolve() : result(input))))
    }
    serveJobs({ run, close: async () => {} }, { endMs: 500 })
  `
  child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  await once(child, 'message')
  child.send({ kind: 'job', job: {} })
  for (const input of [1, 2, 'end']) child.send({ kind: 'input', input })
  await expect.poll(() => messages).toContainEqual({ kind: 'done' })
  expect(messages.slice(1)).toEqual([
    { kind: 'result', result: 1 },
    { kind: 'result', result: 2 },
    { kind: 'done' },
  ])
  const ended = once(child, 'exit')
  child.send({ kind: 'end' })
  expect((await ended)[0]).toBe(0)
})
