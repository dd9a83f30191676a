"""Ignite: an engine calls a function with each batch, and handlers at their events."""

import torch

from inplace_lint.intrinsics import surely, unknown


class Events:
    STARTED = "started"
    EPOCH_STARTED = "epoch_started"
    ITERATION_STARTED = "iteration_started"
    ITERATION_COMPLETED = "iteration_completed"
    EPOCH_COMPLETED = "epoch_completed"
    COMPLETED = "completed"


class State:
    def __init__(self):
        self.batch = None
        self.output = None
        self.metrics = unknown()
        self.iteration = unknown()
        self.epoch = unknown()


_KNOWN = ("started", "epoch_started", "iteration_started", "epoch_completed", "completed")


class Engine:
    """Handlers of events that nobody knows here run after an iteration."""

    def __init__(self, process_function):
        self._process_function = process_function
        self._handlers = []
        self.state = State()

    def on(self, event_name, *args, **kwargs):
        def attach(handler):
            self.add_event_handler(event_name, handler, *args, **kwargs)
            return handler

        return attach

    def add_event_handler(self, event_name, handler, *args, **kwargs):
        self._handlers.append((event_name, handler, args, kwargs))

    def fire_event(self, event_name):
        for event, handler, args, kwargs in self._handlers:
            if surely(event == event_name):
                handler(self, *args, **kwargs)

    def _fire_others(self):
        for event, handler, args, kwargs in self._handlers:
            if not surely(event in _KNOWN):
                handler(self, *args, **kwargs)

    def run(self, data=None, max_epochs=None, epoch_length=None):
        self.fire_event("started")
        for _ in range(2):
            self.fire_event("epoch_started")
            for batch in data:
                self.state.batch = batch
                self.fire_event("iteration_started")
                self.state.output = self._process_function(self, batch)
                self._fire_others()
            self.fire_event("epoch_completed")
        self.fire_event("completed")
        return self.state


def create_supervised_trainer(model, optimizer, loss_fn, *args, **options):
    def update(engine, batch):
        model.train()
        x, y = batch
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return Engine(update)


def create_supervised_evaluator(model, *args, **options):
    @torch.no_grad()
    def inference(engine, batch):
        model.eval()
        x, y = batch
        return model(x), y

    return Engine(inference)
