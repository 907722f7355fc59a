/** Tests that the description of a task names the answers to submit. */
import { expect, test } from 'vitest'
import { answerNamesOf, TASKS } from '#spec'
import { describeTask } from './describe-task.ts'

test.each(TASKS)('names the answers of %s', (task) => {
  for (const name of answerNamesOf(task)) expect(describeTask(task)).toContain(`\`${name}\`: `)
})

test.each(TASKS)(
  'in %s, explains how to submit that there is no fault if other answers are asked for',
  (task) => {
    const text = 'If no fault is present, submit only `detected`: false.'
    expect(describeTask(task).includes(text)).toBe(task === 'end-to-end')
  },
)
