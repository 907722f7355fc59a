/** Tests that each combination of model name and settings is opened once and kept open. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createScriptedServer } from '#examinee/models/testing'
import type { ModelRequest } from '#spec'
import { createModelCache } from './index.ts'

const QUESTION: ModelRequest = {
  messages: [{ role: 'user', content: 'What is wrong?' }],
  tools: [{ name: 'look', about: 'looks', input: { type: 'object', properties: {} } }],
}

const createRecordPath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'remedium-models-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'conversation.jsonl')
}

test('offers tools only once to an endpoint that refuses them', async () => {
  const server = await createScriptedServer(({ body }) =>
    body.tools === undefined ? { text: 'nothing' } : { status: 400, message: 'tools are not supported' },
  )
  onTestFinished(() => server.close())
  const open = createModelCache()
  const options = { baseUrl: server.url }
  for (let episode = 0; episode < 3; episode += 1)
    await open('compatible:plain', { ...options }).ask(QUESTION)
  expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([true, false, false, false])
  await open('compatible:plain', { ...options, price: { input: 1, output: 1 } }).ask(QUESTION)
  expect(server.requests).toHaveLength(6)
})

test('ignores addresses and prices in the environment', async () => {
  const server = await createScriptedServer([{ text: 'one' }])
  onTestFinished(() => server.close())
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('REMEDIUM_PRICE', '1000000,1000000')
  vi.stubEnv('REMEDIUM_BASE_URL', server.url)
  const open = createModelCache()
  const { costUsd } = await open('compatible:x', { addresses: { compatible: server.url } }).ask(QUESTION)
  expect(costUsd).toBeUndefined()
  expect(() => open('compatible:x')).toThrow('The provider compatible requires an address.')
})

test('replays a recording from the beginning each time it is opened', async () => {
  const server = await createScriptedServer([{ text: 'one' }])
  onTestFinished(() => server.close())
  const record = createRecordPath()
  const open = createModelCache()
  const answer = await open('compatible:plain', { baseUrl: server.url, record }).ask(QUESTION)
  for (let episode = 0; episode < 2; episode += 1)
    expect(await open(`replay:${record}`).ask(QUESTION)).toEqual(answer)
})

test('appends complete lines if several processes write at the same time', async () => {
  const record = createRecordPath()
  const program = `
    import { recordCalls } from ${JSON.stringify(join(import.meta.dirname, 'record-calls.ts'))}
    const answer = { text: 'x'.repeat(300_000) }
    const model = recordCalls({ name: 'a:b', ask: async () => answer }, ${JSON.stringify(record)})
    for (let time = 0; time < 40; time += 1) await model.ask({ messages: [] })`
  const runProgram = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  await Promise.all([runProgram(), runProgram(), runProgram()])
  const lines = readFileSync(record, 'utf8').trimEnd().split('\n')
  expect(lines).toHaveLength(120)
  for (const line of lines) expect(JSON.parse(line).answer.text).toHaveLength(300_000)
})
