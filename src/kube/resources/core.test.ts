/** Tests of the three steps of admission, as every write goes through them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze } from '../../kit/index.ts'
import { configMaps } from '../kinds/index.ts'
import { badRequest } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { createObject } from './create-object.ts'
import { createResources, type Resources } from './resources.ts'
import { refusal, USER } from './testing/create-test-resources.ts'
import { updateObject } from './update-object.ts'

const CONTEXT = { user: USER, manager: 'tester' }

let steps: string[]
let resources: Resources

/** Notes its steps; refuses what is called `bad`. */
const plugin = (name: string): AdmissionPlugin => ({
  name,
  admit: ({ operation }) => steps.push(`${name} admits ${operation}`),
  validate(request) {
    if (request.name === 'bad') throw badRequest(`${name} refuses`)
    steps.push(`${name} validates`)
  },
  book: () => steps.push(`${name} books`),
})

beforeEach(() => {
  steps = []
  resources = createResources({
    clock: createVirtualClock(),
    random: createRandom('admission'),
    admission: [plugin('a'), plugin('b')],
    store: { seal: deepFreeze },
  })
})

const draft = (name: string) => ({ metadata: { name, namespace: 'default' } }) as never
const make = (name: string, dryRun = false) =>
  createObject(resources, configMaps, draft(name), { ...CONTEXT, dryRun })
const booked = (): string[] => steps.filter((step) => step.endsWith('books'))

describe('admission', () => {
  it('lets all change the draft, then all refuse, and then all book', () => {
    make('a')
    expect(steps).toEqual([
      'a admits CREATE',
      'b admits CREATE',
      'a validates',
      'b validates',
      'a books',
      'b books',
    ])
  })

  it('books nothing that is refused, there already, or but tried', () => {
    const made = make('a')
    steps = []
    expect(refusal(() => make('bad'))).toBe('400 BadRequest: a refuses')
    expect(refusal(() => make('a'))).toContain('409 AlreadyExists')
    make('b', true)
    const update = (fields: object, dryRun = false) =>
      updateObject(resources, configMaps, { ...structuredClone(made), ...fields }, made, {
        ...CONTEXT,
        dryRun,
      })
    update({})
    update({ data: { k: 'v' } }, true)
    expect(booked()).toEqual([])
    update({ data: { k: 'v' } })
    expect(booked()).toEqual(['a books', 'b books'])
  })
})
