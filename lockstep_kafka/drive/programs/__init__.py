"""Programs that consume with one client each, for `lockstep drive --driver kafka-client:...`.

Their arguments are topics, whose partition 0 they fetch. On standard input they read, a line each,

    start PORT NAME     a new consumer, of this client id, at the leader of this port on loopback
    pause TOPIC         the consumer fetches no more of a topic
    resume TOPIC        it fetches the topic again
    seek TOPIC OFFSET   it fetches from there on
    drop TOPIC          the topic is taken out of what is assigned to it
    take TOPIC          the topic is assigned again, from its beginning

and they end when that ends. A line on standard output says that a command other than `start` is
done. A consumer belongs to no group, begins where the logs do, and waits
for nothing longer than it has to.
"""
