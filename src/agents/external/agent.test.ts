import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { play } from '../../agent-parts/testing/index.ts'
import { agent, createAgent } from './agent.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-external-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** A program of a few lines of JavaScript; `say` writes a message, `read` waits for the next one. */
const run = (lines: string, options: object = {}, world = {}) => {
  const file = join(folder, `${Math.random()}.mjs`)
  writeFileSync(
    file,
    `import { createInterface } from 'node:readline'
     const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
     const read = async () => JSON.parse((await input.next()).value)
     const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
     ${lines}`,
  )
  const args = JSON.stringify([file, 'an argument'])
  // Node may lie where nobody finds it, and numbers of processes are to mean the same here and there.
  return play(createAgent({ program: process.execPath, args, user: 'root', ...options }), world)
}

/** Whoever has ended and has nobody yet who takes notice of it is not alive. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('a program hears of the problem, acts, thinks and submits', async () => {
  const { calls, thoughts, error } = await run(`
    const { begin } = await read()
    say({ thought: begin.briefing.report.text + begin.actions.length + process.argv[2], role: 'me' })
    say({ call: { id: 7, name: 'get_logs', input: { service: 'a' } } })
    const { observation } = await read()
    say({ thought: JSON.stringify(observation) })
    say({ submit: { detected: true } })
    await read()
    say({ thought: (await read()).end.reason })`)
  expect(error).toBeUndefined()
  expect(calls).toEqual([
    { name: 'get_logs', input: { service: 'a' } },
    { name: 'submit', input: { detected: true } },
  ])
  expect(thoughts).toEqual([
    { role: 'me', thought: 'hello-service suffers from cpu-stress.7an argument' },
    { thought: '{"id":7,"ok":true,"text":"this is get_logs"}' },
  ])
})

test('a submit that is refused does not end it', async () => {
  const world = {
    actions: { submit: ({ detected }: { detected?: boolean }) => ({ ok: detected === true, text: 'what?' }) },
  }
  const { calls, error } = await run(
    `await read(); say({ submit: {} }); const { observation } = await read(); say({ submit: { detected: !observation.ok } })`,
    {},
    world,
  )
  expect([calls.length, error]).toEqual([2, undefined])
})

test.each([
  [
    'a crash',
    `await read(); throw new Error('my own fault')`,
    /ended without a submit \(exit code 1; .*my own fault/s,
  ],
  ['garbage', `console.log('Hello!')`, /no JSON: Hello!/],
  ['another message', `say({ please: 1 })`, /neither a call, a thought nor a submit: \{"please":1\}/],
  ['silence', `await new Promise(() => setInterval(() => {}, 1000))`, /said nothing for 3 seconds/],
  [
    'a closed output',
    `process.stdout.end(); process.stdout.destroy(); setTimeout(() => {}, 60_000)`,
    /ended without a submit/,
  ],
  [
    'a flood of lines',
    `for (;;) { say({ thought: 'x' }); await new Promise(setImmediate) }`,
    /more than 50 lines/,
  ],
  [
    'an end in the middle of a line',
    `process.stdout.write('{"submit": {', () => process.exit(3))`,
    /ended without a submit \(exit code 3\)/,
  ],
])('%s is its own failure, and nothing is left of it', async (what, lines, reason) => {
  const began = `say({ thought: String(process.pid) });`
  const { error, thoughts } = await run(began + lines, {
    silenceSeconds: what === 'silence' ? 3 : 20,
    lines: 50,
  })
  expect(error?.message).toMatch(reason)
  expect(error).not.toHaveProperty('blame')
  expect(isAlive(Number(thoughts[0]!.thought))).toBe(false)
})

test('an endless line is a flood', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `yes x | tr -d '\\n'`] })
  expect((await play(agent)).error?.message).toBe('The program wrote a line of more than 4000000 letters.')
})

test('so are empty lines without an end', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `yes ''`] })
  expect((await play(agent)).error?.message).toBe('The program wrote more than 10000 empty lines in a row.')
})

test('a last line without its end counts', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `printf '{"submit": {"detected": true}}'`] })
  const { calls, error } = await play(agent)
  expect([calls, error]).toEqual([[{ name: 'submit', input: { detected: true } }], undefined])
})

test('children of the program end with it', async () => {
  const { thoughts } = await run(`
    const { spawn } = await import('node:child_process')
    say({ thought: String(spawn('sleep', ['600']).pid) })
    say({ submit: {} })
    await read()
    await read()
    process.exit()`)
  const pid = Number(thoughts[0]!.thought)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('an abort ends it with the reason of the abort', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('time is up')), 300)
  const { error } = await run(
    'await new Promise(() => setInterval(() => {}, 1000))',
    {},
    { signal: controller.signal },
  )
  expect(error?.message).toBe('time is up')
})

test('a program is told that its budget is spent, and has a while to put its things in order', async () => {
  const controller = new AbortController()
  const notes = join(folder, 'notes')
  const { error } = await run(
    `import { writeFileSync } from 'node:fs'
     await read()
     say({ call: { id: 1, name: 'get_logs' } })
     const { end } = await read()
     await new Promise((resolve) => setTimeout(resolve, 200))
     writeFileSync(${JSON.stringify(notes)}, end.reason)
     process.exit()`,
    {},
    {
      signal: controller.signal,
      actions: {
        get_logs() {
          controller.abort(new Error('the steps are spent'))
          return 'too late'
        },
      },
    },
  )
  expect(error?.message).toBe('the steps are spent')
  expect(readFileSync(notes, 'utf8')).toBe('budget-spent')
})

test('a program is started in its folder, and one whose folder is gone is refused before anything is done', async () => {
  const own = join(folder, 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'answer.json'), '{"submit": {"detected": true}}')
  for (const user of ['nobody', 'root']) {
    const agent = createAgent({ program: 'sh', args: ['-c', 'cat answer.json'], user, folder: own })
    const { calls, error } = await play(agent)
    expect([calls, error]).toEqual([[{ name: 'submit', input: { detected: true } }], undefined])
  }
  rmSync(own, { recursive: true })
  expect(() => createAgent({ program: 'cat', folder: own })).toThrow(
    expect.objectContaining({
      blame: 'operator',
      message: `The external agent is started in ${own}, which is not there.`,
    }),
  )
})

test('a program that has said something was started, whatever it ends with', async () => {
  const args = ['-c', `echo '{"thought": "I am here"}'; exit 127`]
  const { error } = await play(createAgent({ program: 'sh', args }))
  expect(error?.message).toBe('The program ended without a submit (exit code 127).')
  expect(error).not.toHaveProperty('blame')
})

test('a program that is not there, or not named, is the operator’s mistake', async () => {
  const startings = [
    { program: '/no/such/program' },
    { program: 'sh', args: ['-c', 'no-such-program --now'] },
  ]
  for (const starting of startings)
    for (const user of ['nobody', 'root']) {
      const { error } = await play(createAgent({ ...starting, user }))
      expect(error).toMatchObject({
        code: 'tool-missing',
        blame: 'operator',
        message: expect.stringMatching(/cannot be started.*no.such.program/),
      })
    }
  expect((await play(agent)).error).toMatchObject({ blame: 'operator' })
  expect(() => createAgent()).toThrow('which program')
  expect(() => createAgent({ program: 'x', args: '[1' })).toThrow('no JSON list of texts: [1')
})
