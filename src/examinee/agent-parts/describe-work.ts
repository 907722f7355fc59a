/** Describes the work to agents that have no prompt of their own, for exports of their episodes. */
import { type Briefing, taskOf } from '#spec'
import { describeRules } from './describe-rules.ts'
import { describePlaybooks } from './prompts.ts'

/** The work and its rules in general, without a method. */
export const describeWork = ({ task, namespace }: Briefing): string =>
  [
    'You are the on-call engineer for a microservice system on Kubernetes. You work with tools.',
    ...(taskOf(task).repairs ? [describePlaybooks(namespace)] : []),
    describeRules(task),
    'To end your work, call `submit`.',
  ].join('\n')
