/** Tests the request that each model of a run must answer before clusters start. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createScriptedServer, type ServerScript } from '#examinee/models/testing'
import type { SamplingSettings } from '#spec'
import { CONTACT_REQUEST, contactModels } from './contact-models.ts'

const contenderOf = (...models: readonly string[]) => ({
  name: 'one',
  agent: 'think-remed',
  models: Object.fromEntries(models.map((model, index) => [`role-${index}`, model])),
})

const serve = async (script: ServerScript) => {
  const server = await createScriptedServer(script)
  onTestFinished(() => server.close())
  return server
}

const contact = (url: string, ...models: readonly string[]) => {
  const recordTo = join(tmpdir(), 'contact-models-must-not-exist.jsonl')
  const contacted = contactModels(
    [contenderOf(...models)],
    { baseUrl: url, recordTo },
    new AbortController().signal,
  )
  return contacted.finally(() => expect(existsSync(recordTo)).toBe(false))
}

it('asks each model once, and records nothing', async () => {
  const server = await serve(() => ({ text: 'OK' }))
  await contact(server.url, 'compatible:a', 'compatible:b', 'compatible:a')
  expect(server.requests.map(({ body }) => [body.model, body.messages[0]?.content])).toEqual([
    ['a', CONTACT_REQUEST],
    ['b', CONTACT_REQUEST],
  ])
})

it('rejects if a model is not available', async () => {
  const server = await serve(() => ({ status: 404, message: 'no such model' }))
  await expect(contact(server.url, 'compatible:a')).rejects.toMatchObject({
    code: 'model-failed',
    exitCode: 1,
  })
})

it('sends the sampling settings, and rejects if one is refused', async () => {
  const server = await serve(({ body }) =>
    body.top_p === undefined ? { text: 'OK' } : { status: 400, message: 'top_p is not supported' },
  )
  const contactWith = (sampling: SamplingSettings) =>
    contactModels([contenderOf('compatible:a')], { baseUrl: server.url, sampling }, AbortSignal.timeout(9000))
  await contactWith({ temperature: 0.5 })
  expect(server.requests[0]!.body).toMatchObject({ temperature: 0.5 })
  await expect(contactWith({ topP: 0.5 })).rejects.toMatchObject({ code: 'model-failed', blame: 'operator' })
})

it('rejects if no server is listening', async () => {
  const server = await createScriptedServer([])
  await server.close()
  await expect(contact(server.url, 'compatible:a')).rejects.toMatchObject({ code: 'model-failed' })
})

it('does not contact replayed models', async () => {
  const server = await serve([])
  await contact(server.url, 'replay:some.jsonl')
  expect(server.requests).toEqual([])
})
