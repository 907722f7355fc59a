/** Tests that the rules in prompts fit the task, and that the documentation states the same rules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { REPOSITORY } from '#kit'
import { TASKS, taskOf } from '#spec'
import { describeRules } from './describe-rules.ts'

test.each(TASKS)('states the rules that apply to %s', (task) => {
  const { repairs, questions } = taskOf(task)
  const rules = describeRules(task)
  expect(rules.includes('Every submitted answer is correct')).toBe(questions.length > 0)
  for (const rule of [
    'Users are served',
    'The cause is removed',
    'Nothing else is changed',
    'If nothing is wrong',
  ])
    expect(rules.includes(rule)).toBe(repairs)
  expect(rules.includes('read-only')).toBe(!repairs)
})

test('docs/agents.md repeats the rules', () => {
  const page = readFileSync(join(REPOSITORY, 'docs', 'agents.md'), 'utf8').replaceAll(/\s+/g, ' ')
  for (const rule of describeRules('end-to-end').matchAll(/^- (.+)$/gm)) expect(page).toContain(rule[1])
})
