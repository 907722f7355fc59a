/** Describes the work to agents that have no prompt of their own, for exports of their episodes. */
import { type Briefing, taskOf } from '#spec'
import { describePlaybooks, REPAIR_RULES } from './prompts.ts'

/** The work and its rules in general, without a method. */
export const describeWork = ({ task, namespace }: Briefing): string =>
  [
    'You are the on-call engineer for a microservice system on Kubernetes. You work with tools.',
    ...(taskOf(task).repairs ? [describePlaybooks(namespace)] : []),
    REPAIR_RULES,
    'Your work ends with a successful call of `submit`.',
  ].join('\n')
