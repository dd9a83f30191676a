"""`nn.Module` classes: the constructor decides what `forward` writes."""

import torch
import torch.nn.functional as F
from torch import nn


class ConvNormRelu(nn.Module):
    def __init__(self, channels, inplace=True):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm1d(channels)
        self.relu = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.relu(self.norm(self.conv(x)))


def case_conv_norm_relu():
    net = nn.Sequential(ConvNormRelu(2), ConvNormRelu(2))
    net(torch.randn(2, 2, 4)).sum().backward()
    return net[0].conv.weight.grad


class Classifier(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 8)
        self.last = nn.Linear(8, 2)
        self.relu = nn.ReLU(inplace=inplace)
        self.dropout = nn.Dropout(0.5, inplace=True)

    def forward(self, x):
        x = self.relu(self.first(x))
        x = self.second(x)
        x = self.relu(x)
        x = self.last(x)
        return self.dropout(x)


def case_classifier_shares_one_relu():
    gradients = []
    for inplace in (True, False):
        net = Classifier(inplace)
        net(torch.randn(3, 4)).square().mean().backward()
        gradients.append(net.first.weight.grad)
    return gradients


class ForgetfulBlock(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=inplace)  # warning: [IPL301]

    def forward(self, x):
        y = self.act(x)
        return y - x


def case_module_overwrites_what_it_needs():
    return ForgetfulBlock(inplace=True)(torch.randn(2, 3))


class CarefulBlock(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x):
        y = self.act(x)
        return y - x


def case_module_overwrites_what_it_needs_cured():
    return CarefulBlock(inplace=False)(torch.randn(2, 3))


class SigmoidGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)

    def forward(self, x):
        gate = self.project(x).sigmoid()
        gate *= 2  # error: [IPL202]
        return gate * x


def case_gate_scaled_in_place():
    net = SigmoidGate()
    net(torch.randn(2, 3)).sum().backward()
    return net.project.weight.grad


class ScaledGate(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3, 3)

    def forward(self, x):
        gate = self.project(x)
        gate *= 2
        gate.sigmoid_()
        return gate * x


def case_gate_scaled_before_sigmoid():
    net = ScaledGate()
    net(torch.randn(2, 3)).sum().backward()
    return net.project.weight.grad


class Attention(nn.Module):
    def __init__(self, drop_in_place):
        super().__init__()
        self.query = nn.Linear(4, 4)
        self.key = nn.Linear(4, 4)
        self.dropout = nn.Dropout(0.5, inplace=drop_in_place)

    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        scores /= 2.0
        scores.masked_fill_(mask, float("-inf"))
        weights = scores.softmax(-1)
        weights = self.dropout(weights)
        return weights @ x


def case_attention_masked_in_place():
    net = Attention(drop_in_place=False)
    net(torch.randn(3, 4), torch.eye(3, dtype=torch.bool)).sum().backward()
    return net.query.weight.grad


class AttentionDropsInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 4)
        self.dropout = nn.Dropout(0.5, inplace=True)  # error: [IPL202]

    def forward(self, x):
        scores = self.query(x) @ x.transpose(-2, -1)
        weights = scores.softmax(-1)
        weights = self.dropout(weights)
        return weights @ x


def case_dropout_on_attention_weights():
    net = AttentionDropsInPlace()
    net(torch.randn(3, 4)).sum().backward()
    return net.query.weight.grad


class AttentionMasksTooLate(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 4)

    def forward(self, x, mask):
        weights = (self.query(x) @ x.transpose(-2, -1)).softmax(-1)
        weights.masked_fill_(mask, 0.0)  # error: [IPL202]
        return weights @ x


def case_mask_after_softmax():
    net = AttentionMasksTooLate()
    net(torch.randn(3, 4), torch.eye(3, dtype=torch.bool)).sum().backward()
    return net.query.weight.grad


class GrowingScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        self.scale += 0.1  # error: [IPL101]
        return x * self.scale


def case_parameter_grows_in_forward():
    return GrowingScale()(torch.randn(3))


class BoundedScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        with torch.no_grad():
            self.scale += 0.1

    def forward(self, x):
        with torch.no_grad():
            self.scale.clamp_(max=1.0)
        return x * self.scale


def case_parameter_bounded_before_use():
    net = BoundedScale()
    net(torch.randn(3)).sum().backward()
    return net.scale.grad


class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean


def case_running_mean():
    net = RunningMean()
    x = torch.randn(4, 3, requires_grad=True)
    net(x).square().sum().backward()
    return x.grad


class RunningScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        y = x * self.scale
        self.scale.mul_(0.9)  # error: [IPL201]
        return y


def case_buffer_updated_after_use():
    net = RunningScale()
    x = torch.randn(4, 3, requires_grad=True)
    net(x).sum().backward()
    return x.grad


class Base(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
        self.linear = nn.Linear(3, 3)

    def activation(self, x):
        return F.relu(x, inplace=self.inplace)

    def forward(self, x):
        h = self.linear(x)
        return self.activation(h) + self.tail(h)

    def tail(self, h):
        return h.shape[0]


class Inherited(Base):
    def __init__(self):
        super().__init__(inplace=True)


def case_inherited_forward():
    net = Inherited()
    net(torch.randn(2, 3)).sum().backward()
    return net.linear.weight.grad


class Layered(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            x.relu_()
        return x


def case_module_list():
    net = Layered()
    net(torch.randn(2, 3)).sum().backward()
    return net.layers[0].weight.grad


class NormalisedInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(3)
        self.mlp = nn.Linear(3, 3)

    def forward(self, x):
        x = self.embed(x)
        x += self.mlp(self.norm(x))  # error: [IPL201]
        return x


def case_prenorm_added_in_place():
    net = NormalisedInput()
    net(torch.randn(2, 3)).sum().backward()
    return net.embed.weight.grad


class NormalisedOutput(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 3)
        self.norm = nn.LayerNorm(3)

    def forward(self, x):
        x = self.embed(x)
        x += 1.0
        x = self.norm(x)
        x *= 0.5
        return x


def case_output_of_a_norm_scaled():
    net = NormalisedOutput()
    net(torch.randn(2, 3)).sum().backward()
    return net.embed.weight.grad


def case_hooked_output():
    layer = nn.Linear(3, 3)
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    h = layer(torch.randn(2, 3))
    h += 1  # error: [IPL107]
    return h


def case_hook_that_only_looks_forward():
    layer = nn.Linear(3, 3)
    layer.register_forward_hook(lambda module, args, output: None)
    h = layer(torch.randn(2, 3))
    h += 1
    return h


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Embedding(4, 3)
        self.decoder = nn.Linear(3, 4)
        self.decoder.weight = self.encoder.weight
        self.encoder.weight.data.uniform_(-0.1, 0.1)

    def forward(self, tokens):
        return self.decoder(self.encoder(tokens))


def case_tied_weights_are_initialised():
    model = Tied()
    with torch.no_grad():
        scores = model(torch.arange(4))
    model(torch.arange(4)).sum().backward()
    return scores, model.encoder.weight.grad


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(3))
        self.weight.data.fill_(1.0)

    def forward(self, x):
        return x * self.weight


class Averaged:
    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.average = [parameter.detach().clone() for parameter in self.parameters]

    @torch.no_grad()
    def update(self):
        for average, parameter in zip(self.average, self.parameters, strict=True):
            average += (parameter - average) / 2


def case_parameters_are_kept_to_be_followed():
    model = nn.ModuleList([Gate() for _ in range(2)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    averaged = Averaged(model.parameters())
    for gate in model:
        gate(torch.ones(3)).sum().backward()
    optimizer.step()
    averaged.update()
    return averaged.average


def case_batch_norm_without_statistics_saves_its_input():
    x = torch.randn(4, 3, requires_grad=True)
    h = x * 2
    y = F.batch_norm(h, None, None, training=True)
    h.add_(1)  # error: [IPL201]
    y.sum().backward()


def case_batch_norm_without_statistics():
    x = torch.ones(4, 3, requires_grad=True)
    y = F.batch_norm(x * 2, None, None, training=True)
    y.add_(1)
    y.sum().backward()
    return x.grad


def case_attention_with_the_batch_second():
    x = torch.rand(2, 3, 4, requires_grad=True) * 1
    out, _ = nn.MultiheadAttention(4, 2)(x, x, x)
    x += 1  # error: [IPL201]
    out.sum().backward()
    return x


def case_attention_with_the_batch_first():
    x = torch.rand(2, 3, 4, requires_grad=True) * 1
    out, _ = nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)
    x += 1
    out.sum().backward()
    return x


def case_encoder_that_normalizes_first():
    x = torch.rand(2, 3, 4, requires_grad=True) * 1
    out = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=True)(x)
    x += 1  # error: [IPL201]
    out.sum().backward()
    return x


def case_recurrent_layers_with_the_batch_first():
    x = torch.rand(2, 3, 4, requires_grad=True) * 1
    out, _ = nn.GRU(4, 4, batch_first=True)(x)
    x += 1
    out.sum().backward()
    return x


class SqueezeExcitation(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Conv2d(2, 2, 1)
        self.pool = nn.AdaptiveAvgPool2d(size)
        self.gate = nn.Conv2d(2, 2, 1)

    def forward(self, x):
        x = self.body(x)
        gate = torch.sigmoid(self.gate(self.pool(x))).mean((2, 3), keepdim=True)
        x *= gate  # error: [IPL201]
        return x


def case_pooled_to_several_places():
    net = SqueezeExcitation((2, 1))
    net(torch.randn(1, 2, 4, 4)).sum().backward()
    return net.body.weight.grad


class SqueezeExcitationOfMeans(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Conv2d(2, 2, 1)
        self.pool = nn.AdaptiveAvgPool2d(size)
        self.gate = nn.Conv2d(2, 2, 1)

    def forward(self, x):
        x = self.body(x)
        x *= torch.sigmoid(self.gate(self.pool(x)))
        return x


def case_pooled_to_one_place_is_a_mean():
    gradients = []
    for size in (1, (1, 1)):
        net = SqueezeExcitationOfMeans(size)
        net(torch.randn(1, 2, 4, 4)).sum().backward()
        gradients.append(net.body.weight.grad)
    return gradients


def case_pooled_by_functions_to_one_place():
    x = torch.randn(1, 2, 4, requires_grad=True)
    for pool in (F.adaptive_avg_pool1d, torch.adaptive_avg_pool1d):
        y = x * 2
        y *= torch.sigmoid(pool(y, 1))
        y.sum().backward()
    z = torch.randn(1, 2, 4, 4, 4, requires_grad=True)
    y = z * 2
    y *= torch.sigmoid(F.adaptive_avg_pool3d(y, output_size=(1, 1, 1)))
    y.sum().backward()
    return x.grad, z.grad


class Scaled(nn.Module):
    def forward(self, x):
        return x / x.norm()


class PerhapsScaled(nn.Module):
    def __init__(self, scaled=False):
        super().__init__()
        self.scale = Scaled() if scaled else nn.Identity()

    def forward(self, x):
        x = x - 1
        x *= self.scale(x).sum()  # warning: [IPL201]
        return x


class PerhapsActivated(nn.Module):
    """An activation that keeps its result does not need the input."""

    def __init__(self, activated=False):
        super().__init__()
        self.activation = nn.Sigmoid() if activated else nn.Identity()

    def forward(self, x):
        x = x - 1
        y = self.activation(x) + 1
        x *= 2
        return x + y
