/** Train-Ticket: a booking site for train tickets of forty-six services, two MySQL clusters, Nacos and RabbitMQ. */
import { defineTwinSystem } from '#world/topology'

export const system = defineTwinSystem(import.meta.dirname)
