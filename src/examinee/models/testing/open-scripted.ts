/** Opens a model whose provider is a scripted server, and provides a request for it. */
import { onTestFinished } from 'vitest'
import { type ModelOptions, openModel } from '#examinee/models'
import type { ModelRequest, ToolDescription } from '#spec'
import { createScriptedServer, type ServerScript } from './scripted-server.ts'

const LOOK: ToolDescription = {
  name: 'look',
  about: 'looks at something',
  input: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
}
export const QUESTION: ModelRequest = {
  messages: [
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: 'What is wrong?' },
  ],
  tools: [LOOK],
}

/** The server is closed when the test has ended. */
export const openScripted = async (script: ServerScript, options: ModelOptions = {}) => {
  const server = await createScriptedServer(script)
  onTestFinished(() => server.close())
  const model = openModel('compatible:tester', {
    env: { REMEDIUM_BASE_URL: server.url, REMEDIUM_API_KEY: 'secret' },
    backoffMs: 1,
    ...options,
  })
  return { server, model }
}
