/**
 * Train-Ticket: a site for booking train tickets, with forty-six services, two MySQL clusters, Nacos and
 * RabbitMQ.
 */
import { defineTwinSystem } from '#world/topology'

export const system = defineTwinSystem(import.meta.dirname)
