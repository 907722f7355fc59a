/** Tests of external agents: the protocol, and failures of the program. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { play } from '#examinee/agent-parts/testing'
import { agent, createAgent } from './agent.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'remedium-external-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program of a few lines of JavaScript. In it, `say` writes a message, and `read` waits for the next one. */
const runScript = (lines: string, options: object = {}, playOptions = {}) => {
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
  // The user nobody might have no access to Node, and process ids must be the same inside and outside.
  return play(createAgent({ program: process.execPath, args, user: 'root', ...options }), playOptions)
}

/** A zombie process is not alive. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

test('exchanges the briefing, thoughts, actions and a submit', async () => {
  const { calls, thoughts, error } = await runScript(`
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

test('sends the program the id of the episode, and counts the usage that it reports', async () => {
  const { thoughts, usage, error } = await runScript(`
    const { begin } = await read()
    say({ usage: { input: 120, output: 30, costUsd: 0.5, model: 'my-model' } })
    say({ usage: { input: 1, output: 2 } })
    say({ thought: JSON.stringify([begin.episode, begin.reportsVerdict]) })
    say({ submit: {} })`)
  expect(error).toBeUndefined()
  expect(thoughts).toEqual([{ thought: '["an-episode",false]' }])
  expect(usage).toEqual([
    { tokens: { input: 120, output: 30 }, costUsd: 0.5, model: 'my-model' },
    { tokens: { input: 1, output: 2 } },
  ])
  for (const invalidUsage of ['{ input: -1, output: 0 }', '{ input: 1e13, output: 0 }', '{ input: 1 }'])
    expect((await runScript(`await read(); say({ usage: ${invalidUsage} })`)).error?.message).toContain(
      'nor a submit',
    )
})

test('with reportsVerdict, keeps the program running until it has received the verdict', async () => {
  const notesFile = join(folder, 'verdict')
  const waitingScript = `import { writeFileSync } from 'node:fs'
    await read()
    say({ thought: String(process.pid) })
    say({ submit: {} })
    await read()
    const { end } = await read()
    const { verdict } = await read()
    writeFileSync(${JSON.stringify(notesFile)}, JSON.stringify([end.reason, verdict]))
    process.exit()`
  const { thoughts, onVerdict, error } = await runScript(waitingScript, {}, { reportsVerdict: true })
  expect(error).toBeUndefined()
  const pid = Number(thoughts[0]!.thought)
  expect(isAlive(pid)).toBe(true)
  const verdict = { outcome: 'unresolved' as const, reward: 0, reason: 'The cause is still there.' }
  await onVerdict!(verdict)
  expect(isAlive(pid)).toBe(false)
  expect(JSON.parse(readFileSync(notesFile, 'utf8'))).toEqual(['submitted', verdict])

  const withoutVerdict = await runScript(waitingScript, {}, { reportsVerdict: true })
  await withoutVerdict.onVerdict!(undefined)
  expect(isAlive(Number(withoutVerdict.thoughts[0]!.thought))).toBe(false)
  const failed = await runScript(`await read(); process.exit(3)`, {}, { reportsVerdict: true })
  expect([failed.error?.message, failed.onVerdict]).toEqual([
    'The program ended without a submit (exit code 3).',
    undefined,
  ])
})

test('continues after a refused submit', async () => {
  const playOptions = {
    actions: { submit: ({ detected }: { detected?: boolean }) => ({ ok: detected === true, text: 'what?' }) },
  }
  const { calls, error } = await runScript(
    `await read(); say({ submit: {} }); const { observation } = await read(); say({ submit: { detected: !observation.ok } })`,
    {},
    playOptions,
  )
  expect([calls.length, error]).toEqual([2, undefined])
})

test.each([
  [
    'a crash',
    `await read(); throw new Error('unexpected end')`,
    /ended without a submit \(exit code 1; .*unexpected end/s,
  ],
  ['garbage', `console.log('Hello!')`, /not JSON: Hello!/],
  [
    'an unknown message',
    `say({ please: 1 })`,
    /neither a call, a thought, a usage nor a submit: \{"please":1\}/,
  ],
  ['silence', `await new Promise(() => setInterval(() => {}, 1000))`, /wrote nothing for 3 seconds/],
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
])('%s is a failure of the program, and no process is left', async (description, lines, reason) => {
  const reportPid = `say({ thought: String(process.pid) });`
  const { error, thoughts } = await runScript(reportPid + lines, {
    silenceSeconds: description === 'silence' ? 3 : 20,
    lines: 50,
  })
  expect(error?.message).toMatch(reason)
  expect(error).not.toHaveProperty('blame')
  expect(isAlive(Number(thoughts[0]!.thought))).toBe(false)
})

test('rejects an endless line', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `yes x | tr -d '\\n'`] })
  expect((await play(agent)).error?.message).toBe('The program wrote a line of more than 4000000 characters.')
})

test('rejects endless empty lines', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `yes ''`] })
  expect((await play(agent)).error?.message).toBe('The program wrote more than 10000 empty lines in a row.')
})

test('accepts a last line without a line break', async () => {
  const agent = createAgent({ program: 'sh', args: ['-c', `printf '{"submit": {"detected": true}}'`] })
  const { calls, error } = await play(agent)
  expect([calls, error]).toEqual([[{ name: 'submit', input: { detected: true } }], undefined])
})

test('kills the children of the program', async () => {
  const { thoughts } = await runScript(`
    const { spawn } = await import('node:child_process')
    say({ thought: String(spawn('sleep', ['600']).pid) })
    say({ submit: {} })
    await read()
    await read()
    process.exit()`)
  const pid = Number(thoughts[0]!.thought)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('rejects with the reason of the abort', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Error('time is up')), 300)
  const { error } = await runScript(
    'await new Promise(() => setInterval(() => {}, 1000))',
    {},
    { signal: controller.signal },
  )
  expect(error?.message).toBe('time is up')
})

test('reports to the program that its budget is spent, and lets it exit', async () => {
  const controller = new AbortController()
  const notesFile = join(folder, 'notes')
  const { error } = await runScript(
    `import { writeFileSync } from 'node:fs'
     await read()
     say({ call: { id: 1, name: 'get_logs' } })
     const { end } = await read()
     await new Promise((resolve) => setTimeout(resolve, 200))
     writeFileSync(${JSON.stringify(notesFile)}, end.reason)
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
  expect(readFileSync(notesFile, 'utf8')).toBe('budget-spent')
})

test('starts the program in the given folder, and rejects a missing folder', async () => {
  const programFolder = join(folder, 'program')
  mkdirSync(programFolder)
  writeFileSync(join(programFolder, 'answer.json'), '{"submit": {"detected": true}}')
  for (const user of ['nobody', 'root']) {
    const agent = createAgent({ program: 'sh', args: ['-c', 'cat answer.json'], user, folder: programFolder })
    const { calls, error } = await play(agent)
    expect([calls, error]).toEqual([[{ name: 'submit', input: { detected: true } }], undefined])
  }
  rmSync(programFolder, { recursive: true })
  expect(() => createAgent({ program: 'cat', folder: programFolder })).toThrow(
    expect.objectContaining({
      blame: 'operator',
      message: `The folder of the external agent does not exist: ${programFolder}.`,
    }),
  )
})

test.each([
  ['has written a line', `echo '{"thought": "I am here"}'; exit 127`, 'exit code 127'],
  ['has read the briefing', `read -r briefing; exit 127`, 'exit code 127'],
  ['has read a part of the briefing', `head -c 1 > /dev/null; exit 126`, 'exit code 126'],
  ['has read nothing', `exit 127`, 'exit code 127'],
  ['claims that it was not started', `echo missing >&2; exit 126`, 'exit code 126; standard error: missing'],
])('a program that %s is blamed for its exit, regardless of the exit code', async (_, script, end) => {
  for (const user of ['nobody', 'root']) {
    const { error } = await play(createAgent({ program: 'sh', args: ['-c', script], user }))
    expect(error?.message).toBe(`The program ended without a submit (${end}).`)
    expect(error).not.toHaveProperty('blame')
  }
})

test('blames the operator for a missing program', async () => {
  const script = join(folder, 'no-such-program')
  writeFileSync(script, '#!/no/such/interpreter\n', { mode: 0o755 })
  for (const program of ['/no/such/program', 'no-such-program', script])
    for (const user of ['nobody', 'root']) {
      const { error } = await play(createAgent({ program, user }))
      expect(error).toMatchObject({
        code: 'tool-missing',
        blame: 'operator',
        message: expect.stringMatching(/cannot be started.*no.such.program/),
      })
    }
  expect((await play(agent)).error).toMatchObject({ blame: 'operator' })
  expect(() => createAgent()).toThrow('requires a program')
  expect(() => createAgent({ program: 'x', args: '[1' })).toThrow('not a JSON array of strings: [1')
})
