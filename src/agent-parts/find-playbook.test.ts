import { expect, test } from 'vitest'
import { findPlaybook } from './find-playbook.ts'

const PLAY = '- hosts: localhost\n  tasks: []'

test.each([
  ['alone', PLAY],
  ['behind blank lines, a marker and remarks', `\n\n---\n# mend it\n\n# really\n${PLAY}`],
  ['named', `---\n- name: mend it\n  hosts: localhost`],
])('a playbook %s is found', (_, text) => {
  expect(findPlaybook({ text, toolCalls: [] })).toEqual({ playbook: text })
})

test('the last of several blocks that look like one is meant', () => {
  const text = `First:\n\`\`\`yaml\n- name: a\n\`\`\`\nBetter:\n\`\`\`yaml\n${PLAY}\n\`\`\`\nRun \`\`\`sh\nls\n\`\`\``
  expect(findPlaybook({ text, toolCalls: [] })).toEqual({ playbook: PLAY })
})

test.each(['', '\n'.repeat(100_000), '#\n'.repeat(50_000), '--- '.repeat(20_000), '- nothing of the kind'])(
  'what is none is told soon',
  (text) => {
    const began = performance.now()
    expect(findPlaybook({ text, toolCalls: [] })).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(2000)
  },
)
