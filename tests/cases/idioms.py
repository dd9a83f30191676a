"""Everyday in-place code that is right, on tensors that require grad and on plain data."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def case_causal_mask():
    mask = torch.full((3, 3), float("-inf"))
    mask.triu_(1)
    scores = torch.randn(3, 3, requires_grad=True)
    (scores + mask).softmax(-1).square().sum().backward()
    return scores.grad


def case_sinusoidal_table():
    position = torch.arange(4.0).unsqueeze(1)
    rate = torch.exp(torch.arange(0.0, 6.0, 2.0) * (-math.log(10000.0) / 6))
    table = torch.zeros(4, 6)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    x = torch.randn(4, 6, requires_grad=True)
    (x + table).square().sum().backward()
    return x.grad


def case_label_smoothing():
    logits = torch.randn(2, 3, requires_grad=True)
    target = torch.tensor([0, 2])
    log_probabilities = logits.log_softmax(-1)
    with torch.no_grad():
        smooth = torch.zeros_like(log_probabilities)
        smooth.fill_(0.1 / 2)
        smooth.scatter_(1, target.unsqueeze(1), 0.9)
    loss = -(smooth * log_probabilities).sum(-1).mean()
    loss.backward()
    return logits.grad


def case_boxes_decoded_in_place():
    raw = torch.randn(2, 4, requires_grad=True)
    boxes = raw * 1
    boxes[:, :2] = (boxes[:, :2] + 1) * 8
    boxes[:, 2:] = boxes[:, 2:].exp() * 8
    boxes.sum().backward()
    return raw.grad


def case_boxes_scaled_and_clamped():
    boxes = torch.rand(2, 4) * 100
    boxes[:, [0, 2]] -= 10
    boxes[:, :4] /= 0.5
    boxes[:, 0].clamp_(0, 64)
    boxes[:, 1::2].clamp_(min=0)
    return boxes


def case_normalised_image():
    image = torch.rand(3, 4, 4)
    mean = torch.tensor([0.5, 0.4, 0.3])
    image.sub_(mean[:, None, None]).div_(0.2)
    return image


def case_weights_of_a_loss():
    losses = torch.rand(4, requires_grad=True) * 2
    weights = torch.ones(4)
    weights[0] = 0.0
    weights /= weights.sum()
    (losses * weights).sum().backward()
    return weights


def case_padding_by_new_zeros():
    x = torch.randn(2, 3, requires_grad=True)
    padded = x.new_zeros(2, 5)
    padded[:, 1:4] = x
    padded.square().sum().backward()
    return x.grad


def case_windows_added_up():
    frames = torch.randn(3, 4, requires_grad=True)
    signal = torch.zeros(8)
    for i in range(3):
        signal[2 * i : 2 * i + 4] += frames[i]
    signal.square().sum().backward()
    return frames.grad


def case_scatter_of_messages():
    messages = torch.randn(4, 2, requires_grad=True)
    index = torch.tensor([0, 1, 1, 2])
    out = torch.zeros(3, 2).index_add_(0, index, messages)
    out.square().sum().backward()
    return messages.grad


def case_degrees_counted():
    index = torch.tensor([0, 1, 1])
    degree = torch.zeros(3)
    degree.scatter_add_(0, index, torch.ones(3))
    norm = degree.pow(-0.5)
    norm[norm == float("inf")] = 0
    return norm


def case_bias_added_after_matmul():
    x = torch.randn(2, 3, requires_grad=True)
    weight = torch.randn(3, 4, requires_grad=True)
    bias = torch.randn(4, requires_grad=True)
    out = x @ weight
    out += bias
    out.relu_()
    out.sum().backward()
    return [x.grad, weight.grad, bias.grad]


def case_scaled_query():
    project = nn.Linear(4, 8)
    x = torch.randn(3, 4)
    query, key = project(x).chunk(2, dim=-1)
    query = query * 0.5
    weights = (query @ key.t()).softmax(-1)
    weights.sum().backward()
    return project.weight.grad


def case_frozen_batch_norm_folded():
    conv = nn.Conv1d(2, 2, 1)
    scale = torch.full((2,), 0.5)
    with torch.no_grad():
        conv.weight.mul_(scale[:, None, None])
        conv.bias.mul_(scale).add_(1.0)
    return conv(torch.ones(1, 2, 3))


def case_embedding_row_cleared():
    embedding = nn.Embedding(4, 3)
    embedding.weight.data[0].zero_()
    nn.init.normal_(embedding.weight.data[1:], std=0.1)
    embedding(torch.tensor([1, 2])).sum().backward()
    return embedding.weight.grad


def case_momentum_by_hand():
    weight = torch.ones(3, requires_grad=True)
    velocity = torch.zeros(3)
    for _ in range(3):
        loss = weight.square().sum()
        (gradient,) = torch.autograd.grad(loss, weight)
        with torch.no_grad():
            velocity.mul_(0.9).add_(gradient)
            weight.sub_(velocity, alpha=0.1)
    return weight


def case_gradients_accumulated_and_scaled():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        for batch in torch.randn(2, 4, 3):
            loss = model(batch).square().mean()
            loss /= 2
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(0.5)
        optimizer.step()
        optimizer.zero_grad()
    return model.weight


def case_two_losses_one_optimizer():
    encoder, head = nn.Linear(3, 3), nn.Linear(3, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    x = torch.randn(4, 3)
    features = encoder(x)
    first = features.square().mean()
    second = head(features).mean()
    (first + second).backward()
    optimizer.step()
    return head.weight


def case_alternating_updates():
    critic, actor = nn.Linear(2, 1), nn.Linear(2, 2)
    critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
    actor_optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
    for state in torch.randn(2, 4, 2):
        critic_loss = critic(actor(state).detach()).square().mean()
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
        actor_loss = -critic(actor(state)).mean()
        actor_optimizer.zero_grad()
        actor_loss.backward()
        actor_optimizer.step()
    return actor.weight


def case_adversarial_step():
    model = nn.Linear(3, 1)
    data = torch.randn(2, 3)
    delta = torch.zeros_like(data).uniform_(-0.1, 0.1)
    for _ in range(2):
        delta.requires_grad_()
        model(data + delta).sum().backward()
        delta.data.add_(0.05 * delta.grad.sign()).clamp_(-0.1, 0.1)
        delta.grad.zero_()
    return delta


def case_running_sums_of_numbers():
    total, count = 0.0, 0
    totals = torch.zeros(2)
    for batch in torch.randn(3, 4, 2):
        total += batch.sum().item()
        count += len(batch)
        totals += batch.sum(0)
    totals /= count
    return [total / count, totals]


def case_running_loss_detached():
    weight = torch.ones(3, requires_grad=True)
    running = torch.zeros(())
    for _ in range(2):
        loss = weight.square().sum()
        loss.backward()
        running += loss.detach()
    return running


def case_relu_on_both_branches():
    conv1, conv2 = nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1)
    x = torch.randn(1, 2, 4)
    left = F.relu(conv1(x), inplace=True)
    right = F.relu_(conv2(x))
    out = torch.cat([left, right], dim=1)
    out.mul_(0.5)
    out.sum().backward()
    return conv1.weight.grad


def case_dropout_after_activation_that_saved_its_input():
    linear = nn.Linear(3, 3)
    x = F.gelu(linear(torch.randn(2, 3)))
    x = F.dropout(x, 0.5, inplace=True)
    x.sum().backward()
    return linear.weight.grad


def case_layer_norm_by_hand():
    x = torch.randn(2, 3, requires_grad=True)
    centred = x - x.mean(-1, keepdim=True)
    scale = centred.square().mean(-1, keepdim=True).add_(1e-5).rsqrt_()
    (centred * scale).square().mean().backward()
    return x.grad


def case_nan_cleared_in_a_copy():
    x = torch.tensor([1.0, float("nan")])
    cleaned = x.clone()
    cleaned[torch.isnan(cleaned)] = 0.0
    return cleaned + torch.nan_to_num(x)


def case_top_k_filtered_logits():
    logits = torch.randn(2, 5)
    threshold = logits.topk(2).values[:, -1:]
    logits[logits < threshold] = float("-inf")
    return logits.softmax(-1)


def case_state_of_an_environment():
    state = torch.zeros(2, 3)
    done = torch.tensor([True, False])
    for _ in range(2):
        state += 1
        state[done] = 0.0
    return state
