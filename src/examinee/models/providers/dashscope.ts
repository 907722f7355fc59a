/** Alibaba's DashScope, in its OpenAI-compatible mode. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const dashscope: Provider = {
  name: 'dashscope',
  about: 'DashScope, in its compatible mode',
  example: 'qwen-plus',
  keyVariables: ['DASHSCOPE_API_KEY'],
  needsKey: true,
  urlVariables: ['DASHSCOPE_BASE_URL'],
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  open: (model, access) => openCompatible('dashscope', model, access),
}
