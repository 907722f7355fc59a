/** Describes the work in exports of episodes whose agents have no prompts. */
import { type Briefing, taskOf } from '#spec'
import { describePlaybooks } from './describe-playbooks.ts'
import { describeRules } from './describe-rules.ts'

/** Describes the work and its rules in general terms, and suggests no method. */
export const describeWork = ({ task, namespace }: Briefing): string =>
  [
    'You are the on-call engineer for a microservice system on Kubernetes. You work with tools.',
    ...(taskOf(task).repairs ? [describePlaybooks(namespace)] : []),
    describeRules(task),
    'To end your work, call `submit`.',
  ].join('\n')
