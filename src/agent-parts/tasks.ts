/** The tasks from an agent's side: what is wanted of it, in words for a language model. */
import {
  type Answers,
  answersOf,
  FAULT_LAYERS,
  FAULT_TYPES,
  isReadOnlyTask,
  type Task,
} from '../spec/index.ts'

/** Whether the system is to be mended, and not only looked at. */
export const isMending = (task: Task): boolean => !isReadOnlyTask(task)

const MEANINGS: Readonly<Record<keyof Answers, string>> = {
  detected: '`detected`: true where something is wrong with the system, false where nothing is',
  services:
    '`services`: the names of the services at fault (the cause, not its victims), the likeliest first',
  layer: `\`layer\`: where the cause lies, one of ${FAULT_LAYERS.join(', ')}`,
  type: `\`type\`: what sort of cause it is, one of ${FAULT_TYPES.join(', ')}`,
}

const WANTED: Readonly<Record<Task, string>> = {
  detection: 'Find out whether anything is wrong with the system. Change nothing.',
  localisation: 'Find out which service is at fault. Change nothing.',
  analysis: 'Find out in which layer the cause lies and of what type it is. Change nothing.',
  mitigation: 'Mend the system, by whatever actions you have.',
  remediation: 'Mend the system by an Ansible playbook.',
  'end-to-end': 'Find out whether anything is wrong, where, and why; then mend it.',
}

/** The task, and what to submit. */
export const describeTask = (task: Task): string => {
  const answers = answersOf(task)
  const submit =
    answers.length === 0
      ? 'When it is done, call `submit`; it needs no answers.'
      : `At the end call \`submit\` with ${answers.map((answer) => MEANINGS[answer]).join('; ')}.`
  return `${WANTED[task]} ${submit}`
}
