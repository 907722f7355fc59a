/** Tests that playbooks are found in the answers of models. */
import { expect, test } from 'vitest'
import { findPlaybook } from './find-playbook.ts'

const PLAY = '- hosts: localhost\n  tasks: []'

test.each([
  ['without other text', PLAY],
  ['after blank lines, a marker and comments', `\n\n---\n# repair it\n\n# really\n${PLAY}`],
  ['with a name', `---\n- name: repair it\n  hosts: localhost`],
])('finds a playbook %s', (_, text) => {
  expect(findPlaybook({ text, toolCalls: [] })).toEqual({ playbook: text })
})

test('prefers the last of several blocks that look like a playbook', () => {
  const text = `First:\n\`\`\`yaml\n- name: a\n\`\`\`\nBetter:\n\`\`\`yaml\n${PLAY}\n\`\`\`\nRun \`\`\`sh\nls\n\`\`\``
  expect(findPlaybook({ text, toolCalls: [] })).toEqual({ playbook: PLAY })
})

test.each(['', '\n'.repeat(100_000), '#\n'.repeat(50_000), '--- '.repeat(20_000), '- nothing of the kind'])(
  'rejects other texts quickly',
  (text) => {
    const startedAt = performance.now()
    expect(findPlaybook({ text, toolCalls: [] })).toBeUndefined()
    expect(performance.now() - startedAt).toBeLessThan(2000)
  },
)
