/** The providers of language models, one file each. */
import { anthropic } from './anthropic.ts'
import { compatible } from './compatible.ts'
import { dashscope } from './dashscope.ts'
import { google } from './google.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Provider } from './provider.ts'
import { vllm } from './vllm.ts'

export * from './provider.ts'

/** In the order in which they are listed. */
export const PROVIDERS: readonly Provider[] = [
  openai,
  anthropic,
  google,
  openrouter,
  dashscope,
  vllm,
  ollama,
  compatible,
]
