/** Tests the JSON-lines protocol: requests, garbage, long lines, and the end of the input. */
import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import { RIGHT, runPlaybook, SUBMIT, useFakeGym } from '../testing/use-fake-gym.ts'
import { serveStdio } from './serve-stdio.ts'

const fake = useFakeGym()

const start = () => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stopping = new AbortController()
  const { gym } = fake
  const serving = serveStdio({ gym, input, output, signal: stopping.signal })
  onTestFinished(() => stopping.abort())
  const lines: any[] = []
  let rest = ''
  output.on('data', (chunk) => {
    const parts = `${rest}${chunk}`.split('\n')
    rest = parts.pop()!
    lines.push(...parts.map((part) => JSON.parse(part)))
  })
  const replyTo = async (id: number | null) => {
    await expect.poll(() => lines.some((line) => line.id === id)).toBe(true)
    return lines.splice(
      lines.findIndex((line) => line.id === id),
      1,
    )[0]
  }
  const ask = (id: number, method: string, params?: object) => {
    input.write(`${JSON.stringify({ id, method, params })}\n`)
    return replyTo(id)
  }
  return { input, ask, replyTo, lines, serving }
}

it('plays an episode in each of two sessions, and scores', async () => {
  const { ask, lines } = start()
  await expect.poll(() => lines.length).toBe(1)
  expect(lines.shift()).toMatchObject({ ready: { version: 1, engine: 'local', problems: 4 } })
  const resets = [ask(1, 'reset', { session: 'x', problem: 'a' }), ask(2, 'reset', { problem: 'a', seed: 3 })]
  expect(await Promise.all(resets)).toMatchObject([
    { result: { info: {} } },
    { result: { info: { seed: '3' } } },
  ])
  await ask(3, 'step', { session: 'x', action: runPlaybook(RIGHT) })
  expect(await ask(4, 'step', { session: 'x', action: SUBMIT })).toMatchObject({ result: { reward: 1 } })
  expect(await ask(5, 'step', { action: SUBMIT })).toMatchObject({ result: { reward: 0 } })
  expect(await ask(6, 'close', { session: 'x' })).toEqual({ id: 6, result: null })
  await ask(8, 'close')
  const scored = await ask(7, 'score', { requests: [{ problem: 'a', playbook: RIGHT }] })
  expect(scored.result).toMatchObject([{ reward: 1 }])
})

it('answers mistakes with an error, and continues', async () => {
  const { ask, input, replyTo } = start()
  input.write('garbage\n\n[]\n')
  expect(await replyTo(null)).toMatchObject({
    error: { code: 'bad-argument', message: 'The line is not JSON.' },
  })
  expect(await replyTo(null)).toMatchObject({ error: { message: expect.stringContaining('not a request') } })
  input.write('x'.repeat(9_000_000))
  input.write(`${'x'.repeat(9_000_000)}\n`)
  expect(await replyTo(null)).toMatchObject({ error: { message: expect.stringContaining('longer than') } })
  expect(await ask(1, 'jump')).toMatchObject({ error: { message: 'There is no method "jump".' } })
  expect(await ask(2, 'reset', { seed: {} })).toMatchObject({
    error: { message: expect.stringContaining('params.seed') },
  })
  expect(await ask(3, 'step', { action: SUBMIT })).toMatchObject({
    error: { message: expect.stringContaining('Call reset first') },
  })
  expect((await ask(4, 'problems')).result).toHaveLength(4)
})

it('ends with its input', async () => {
  const { input, serving } = start()
  input.end()
  await serving
})
