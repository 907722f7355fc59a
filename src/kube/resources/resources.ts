/** The API without HTTP: every verb on every kind, in process. */
import type { Service } from 'kubernetes-types/core/v1.d.ts'
import type { Clock, Random } from '../../kit/index.ts'
import { builtInKinds, type Kind, services } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import {
  type AdmissionPlugin,
  type Client,
  type EventRecorder,
  systemAccount,
  type User,
} from '../ports/index.ts'
import { createStore, type StoreOptions } from '../store/index.ts'
import type { Core } from './core.ts'
import { createClient } from './create-client.ts'
import { createEventRecorder } from './event-recorder.ts'
import { createKindDirectory } from './kind-directory.ts'
import { createSeriesRecorder } from './series-recorder.ts'
import { createServiceAddresses } from './service-addresses.ts'

export interface ResourcesOptions {
  clock: Clock
  random: Random
  admission?: readonly AdmissionPlugin[]
  store?: StoreOptions
  kinds?: readonly Kind[]
  /** Told what those who watch threw; writes and other watchers go on regardless. */
  onError?(error: unknown): void
}

export interface Resources extends Core {
  /** Access under an identity; `manager` is the field manager of its writes. */
  clientFor(user: User, manager: string): Client
  /** Events told by a component, on a node where `host` says so. */
  recorderFor(component: string, host?: string): EventRecorder
  /** The same in the way of events.k8s.io, which only the scheduler uses. */
  seriesRecorderFor(component: string): EventRecorder
}

export const createResources = (options: ResourcesOptions): Resources => {
  const { clock, random } = options
  const store = createStore({
    ...options.store,
    ...(options.onError === undefined ? {} : { onError: options.onError }),
  })
  const addresses = createServiceAddresses(random)
  store.watch(services.id, ({ type, object, old }) =>
    addresses.settle(
      type === 'DELETED' ? undefined : (object as Stored<Service>),
      old as Stored<Service> | undefined,
    ),
  )
  const directory = createKindDirectory(options.kinds ?? builtInKinds)
  directory.watch(() => store.retain(new Set(directory.all().map(({ id }) => id))))
  const core: Core = {
    store,
    directory,
    clock,
    random,
    admission: options.admission ?? [],
    addresses,
    get client() {
      return trusted
    },
  }
  const clientFor = (user: User, manager: string): Client => createClient(core, { user, manager })
  const trusted = clientFor({ username: 'system:apiserver', groups: ['system:masters'] }, 'kube-apiserver')

  let recorded = 0
  const unique = (): string => {
    recorded += 1
    return (BigInt(Math.floor(clock.now())) * 1_000_000n + BigInt(recorded % 1_000_000)).toString(16)
  }
  return {
    ...core,
    client: trusted,
    clientFor,
    recorderFor: (component, host) =>
      createEventRecorder({
        client: clientFor(systemAccount(component), component),
        clock,
        component,
        ...(host === undefined ? {} : { host }),
        unique,
      }),
    seriesRecorderFor: (component) =>
      createSeriesRecorder({
        client: clientFor(systemAccount(component), component),
        clock,
        component,
        unique,
      }),
  }
}
