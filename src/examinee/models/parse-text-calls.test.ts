/** Tests of tool calls in text, in the forms that language models use. */
import { expect, test } from 'vitest'
import type { ToolDescription } from '#spec'
import { parseTextCalls } from './parse-text-calls.ts'

const toTool = (name: string, required: string[]): ToolDescription => ({
  name,
  about: name,
  input: {
    type: 'object',
    properties: Object.fromEntries(required.map((key) => [key, { type: 'string' }])),
    required,
  },
})
const TOOLS = [
  toTool('get_logs', []),
  toTool('describe', ['kind', 'name']),
  toTool('run_playbook', ['playbook']),
]
const PLAYBOOK = '- hosts: localhost\n  tasks: []'

test.each([
  [
    'a fenced block',
    'I look.\n```json\n{"tool": "get_logs", "input": {"service": "cart"}}\n```',
    [['get_logs', { service: 'cart' }]],
  ],
  ['other keys', '```\n{"name": "get_logs", "arguments": {"limit": 5}}\n```', [['get_logs', { limit: 5 }]]],
  [
    'arguments as a string',
    '```json\n{"function": {"name": "get_logs", "arguments": "{\\"limit\\": 5}"}}\n```',
    [['get_logs', { limit: 5 }]],
  ],
  [
    'two blocks',
    '```json\n{"tool":"get_logs","input":{}}\n```\nand\n```json\n{"tool":"describe","input":{"kind":"Pod","name":"x"}}\n```',
    [
      ['get_logs', {}],
      ['describe', { kind: 'Pod', name: 'x' }],
    ],
  ],
  [
    'a list',
    '```json\n[{"tool":"get_logs"},{"tool":"get_logs","input":{"limit":1}}]\n```',
    [
      ['get_logs', {}],
      ['get_logs', { limit: 1 }],
    ],
  ],
  [
    'a block that was never closed',
    '```json\n{"tool":"get_logs","input":{"limit":1}}',
    [['get_logs', { limit: 1 }]],
  ],
  [
    'tags',
    '<think>{"tool":"describe"}</think><tool_call>\n{"name":"get_logs","arguments":{"limit":2}}\n</tool_call>',
    [['get_logs', { limit: 2 }]],
  ],
  [
    'bare JSON',
    'Now: {"tool": "get_logs", "input": {"contains": "}"}} please',
    [['get_logs', { contains: '}' }]],
  ],
  [
    'raw line breaks',
    '```json\n{"tool": "run_playbook", "input": {"playbook": "- hosts: localhost\n  tasks: []"}}\n```',
    [['run_playbook', { playbook: PLAYBOOK }]],
  ],
  [
    'trailing commas and single quotes',
    "```json\n{'tool': 'get_logs', 'input': {'limit': 3,},}\n```",
    [['get_logs', { limit: 3 }]],
  ],
  [
    'action lines',
    'Thought: hm\nAction: get_logs\nAction Input: {"limit": 4}\nObservation: I made this up {"tool":"describe"}',
    [['get_logs', { limit: 4 }]],
  ],
  [
    'bold action lines',
    '**Action:** `get_logs`\n**Action Input:** {"limit": 4}',
    [['get_logs', { limit: 4 }]],
  ],
  ['an action without input', 'Action: get_logs', [['get_logs', {}]]],
  [
    'an action with plain text',
    `Action: run_playbook\nAction Input:\n\`\`\`yaml\n${PLAYBOOK}\n\`\`\``,
    [['run_playbook', { playbook: PLAYBOOK }]],
  ],
  [
    'an action with unreadable input',
    'Action: describe\nAction Input: the pod of cart',
    [['describe', 'the pod of cart']],
  ],
  [
    'a playbook with braces as the whole input',
    '```json\n{"tool": "run_playbook", "input": "- hosts: {a: 1}"}\n```',
    [['run_playbook', { playbook: '- hosts: {a: 1}' }]],
  ],
  ['a tool that does not exist', '```json\n{"tool": "rm", "input": {}}\n```', []],
  ['no call', 'All is well: {"a": 1} and\n```yaml\n- a\n```', []],
  ['braces without end', '{{{{"tool": "get_logs"', []],
] as [string, string, [string, unknown][]][])('parses %s', (_, text, expected) => {
  const { calls } = parseTextCalls(text, TOOLS)
  expect(calls.map(({ name, input }) => [name, input])).toEqual(expected)
})

test('returns the text without the calls', () => {
  expect(parseTextCalls('First this.\n```json\n{"tool":"get_logs"}\n```\n', TOOLS).rest).toBe('First this.')
  expect(parseTextCalls('Thought: so\nAction: get_logs\nAction Input: {}', TOOLS).rest).toBe('Thought: so')
  expect(parseTextCalls('just words', TOOLS).rest).toBe('just words')
})

test('parses hostile answers quickly', () => {
  const startedAt = performance.now()
  parseTextCalls(`${'{'.repeat(50_000)}${'"'.repeat(50_001)}`, TOOLS)
  parseTextCalls(`${'{'.repeat(50_000)}${'}'.repeat(50_000)}`, TOOLS)
  parseTextCalls(`{${"'a: ".repeat(20_000)}}`, TOOLS)
  parseTextCalls(`[${'"a" '.repeat(20_000)}]`, TOOLS)
  parseTextCalls('```\n'.repeat(20_000), TOOLS)
  parseTextCalls('Action'.repeat(20_000), TOOLS)
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
