/** Hotel Reservation: a booking site for hotels of eight services, Consul, memcached and MongoDB. */
import { defineTwinSystem } from '../../topology/index.ts'

export const system = defineTwinSystem(import.meta.dirname)
