/** The JSON schemas of the server: actions, observations and states. */
import { ACTIONS, describeAction } from '#examinee/aci'
import type { ActionDescription } from '#spec'
import type { Gym } from '../create-gym.ts'

const text = (description: string) => ({ type: 'string', description })

/** All actions. An episode offers those that its task and the options of the gym allow. */
export const listActions = (): ActionDescription[] =>
  ACTIONS.map((action) => describeAction(action, action.isReadOnly))

export const toSchemas = () => ({
  action: {
    title: 'RemediumAction',
    type: 'object',
    required: ['name'],
    properties: {
      name: { ...text('The name of the action.'), enum: ACTIONS.map(({ name }) => name) },
      input: {
        type: 'object',
        description: 'The input of the action; the first observation has its schema.',
      },
    },
  },
  observation: {
    title: 'RemediumObservation',
    type: 'object',
    required: ['ok', 'text'],
    properties: {
      ok: { type: 'boolean', description: 'False if the action was refused or failed; the text says why.' },
      text: text('The observation, written for a language model.'),
      data: { description: 'The content of the text as JSON; absent if the observation is only text.' },
      briefing: {
        type: 'object',
        description: 'Task, system, report and budget; in the first observation only.',
      },
      actions: { type: 'array', description: 'The available actions; in the first observation only.' },
    },
  },
  state: {
    title: 'RemediumState',
    type: 'object',
    properties: {
      episode_id: { type: ['string', 'null'] },
      step_count: { type: 'integer', minimum: 0 },
      is_over: { type: 'boolean' },
      terminated: { type: 'boolean' },
      truncated: { type: 'boolean' },
      reward: { type: ['number', 'null'], description: 'The last reward; null for a void episode.' },
      info: { type: 'object', description: 'For the trainer only: it reveals the answer.' },
    },
  },
})

export const toMetadata = ({ engine, problems }: Gym) => ({
  name: 'remedium',
  description: `Microservice systems on Kubernetes with injected faults, to be diagnosed and repaired: ${problems.size} problems on the engine ${engine}.`,
  version: '1',
})
