/** An Ollama server. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const ollama: Provider = {
  name: 'ollama',
  about: 'an Ollama server',
  example: 'qwen3:8b',
  keyVariables: ['OLLAMA_API_KEY'],
  needsKey: false,
  urlVariables: ['OLLAMA_BASE_URL'],
  baseUrl: 'http://127.0.0.1:11434/v1',
  open: (model, access) => openCompatible('ollama', model, access),
}
