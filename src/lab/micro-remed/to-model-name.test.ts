/** Tests of MicroRemed's model names and of its shared key. */
import { expect, it } from 'vitest'
import { applySharedKey, toModelName } from './to-model-name.ts'

it.each([
  ['gpt-4o', 'openai:gpt-4o'],
  ['claude-3-5-sonnet', 'anthropic:claude-3-5-sonnet'],
  ['qwen3-235b-a22b', 'dashscope:qwen3-235b-a22b'],
  ['Moonshot-Kimi-K2-Instruct', 'dashscope:Moonshot-Kimi-K2-Instruct'],
  ['my-own', 'vllm:my-own'],
  ['ollama:qwen3:8b', 'ollama:qwen3:8b'],
])('converts %s to %s', (name, model) => {
  expect(toModelName(name)).toBe(model)
})

it('copies the shared key to a provider that has none', () => {
  const env: NodeJS.ProcessEnv = { LLM_API_KEY: 'k' }
  applySharedKey('openai:gpt-4o', env)
  expect(env.OPENAI_API_KEY).toBe('k')
  const envWithKey: NodeJS.ProcessEnv = { LLM_API_KEY: 'k', ANTHROPIC_API_KEY: 'own' }
  applySharedKey('anthropic:claude', envWithKey)
  expect(envWithKey.ANTHROPIC_API_KEY).toBe('own')
})
