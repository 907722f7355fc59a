/** A model whose provider answers by a script, and a question for it. */
import { onTestFinished } from 'vitest'
import type { ModelRequest, ToolDescription } from '../../spec/index.ts'
import { type ModelOptions, openModel } from '../index.ts'
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

/** Closed when the test has ended. */
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
