/** A vLLM server. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const vllm: Provider = {
  name: 'vllm',
  about: 'a vLLM server',
  example: 'Qwen/Qwen3-8B',
  keyVariables: ['VLLM_API_KEY'],
  needsKey: false,
  urlVariables: ['VLLM_BASE_URL'],
  baseUrl: 'http://127.0.0.1:8000/v1',
  open: (model, access) => openCompatible('vllm', model, access),
}
